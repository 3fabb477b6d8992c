package openaimodel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"
)

const (
	defaultBaseURL = "https://api.openai.com/v1"
	maxAnswer      = 32 << 20 // bytes; the longest answers of models are below 2 MiB
	maxErrorBody   = 64 << 10
	maxRedirects   = 5
)

// A server is where requests go, and what may be told of it.
type server struct {
	address string // without credentials and query
	key     string // to be kept out of every text
	options []option.RequestOption
}

// newServer prepares the requests of openai-go's services. These, unlike
// openai.NewClient, read nothing from the environment.
func newServer(opts Options) (*server, error) {
	base, err := parseBaseURL(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(opts.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key holds characters that no key has: check OPENAI_API_KEY for blanks and quotes")
	}
	query := base.Query()
	base.RawQuery = ""
	s := &server{address: base.Scheme + "://" + base.Host + strings.TrimRight(base.Path, "/"), key: opts.APIKey}
	s.options = []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(sameOrigin(opts.HTTPClient)),
		option.WithMaxRetries(0), // Complete owns the retries
		option.WithMiddleware(s.check),
	}
	if opts.APIKey != "" {
		s.options = append(s.options, option.WithAPIKey(opts.APIKey))
	}
	for name, values := range query {
		for _, v := range values {
			s.options = append(s.options, option.WithQueryAdd(name, v))
		}
	}
	return s, nil
}

// bestAPI picks how to speak of a model with the server.
func (s *server) bestAPI(model string) API {
	u, err := url.Parse(s.address)
	if err != nil {
		return ChatCompletions
	}
	host := strings.ToLower(u.Hostname())
	atOpenAI := host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") // regions
	if atOpenAI && reasons(model) {
		return Responses
	}
	return ChatCompletions
}

func parseBaseURL(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		s = defaultBaseURL
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the base URL is not an address such as https://host/v1")
	}
	u.Fragment = ""
	return u.JoinPath("/"), nil
}

// sameOrigin returns a copy of client that follows a redirect only if it repeats
// the request at the same scheme, host and port. The answer to any other is the
// redirect itself: the key and the conversation go nowhere else.
func sameOrigin(client *http.Client) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	c := *client
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0]
		if len(via) > maxRedirects || req.Method != first.Method || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &c
}

// check is middleware: it turns every answer but a success into an *Error, and
// caps the bodies.
func (s *server) check(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		res.Body = &cappedBody{ReadCloser: res.Body, left: maxAnswer}
		return res, nil
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody)) // what came will do
	return nil, s.statusError(res, bytes.TrimSpace(body))
}

var errTooLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)

// cappedBody fails with errTooLong when more is read than is left.
type cappedBody struct {
	io.ReadCloser
	left int64
}

func (b *cappedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

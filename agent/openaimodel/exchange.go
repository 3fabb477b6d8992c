package openaimodel

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"release-notes-agent/agent"
)

// A reader reads the two forms of an answer of one API.
type reader interface {
	readAnswer(res *http.Response) (agent.Response, error)
	readStream(res *http.Response, onDelta func(string)) (agent.Response, error)
}

// exchange sends a request and has the answer read as what it is, whether a stream
// was asked for or not: some servers always stream, some never do.
func exchange(req agent.Request, r reader, send func(...option.RequestOption) error) (agent.Response, error) {
	var res *http.Response
	options := []option.RequestOption{option.WithResponseBodyInto(&res)}
	if req.OnDelta != nil {
		options = append(options, option.WithJSONSet("stream", true))
	}
	if err := send(options...); err != nil {
		return agent.Response{}, err
	}
	defer res.Body.Close()
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" {
		return r.readStream(res, req.OnDelta)
	}
	resp, err := r.readAnswer(res)
	if text := resp.Message.Text; text != "" && req.OnDelta != nil {
		req.OnDelta(text)
	}
	return resp, err
}

var errBrokenOff = errors.New("the answer is not whole")

// brokenOff marks an error that came after an answer had begun.
func brokenOff(err error) error { return fmt.Errorf("%w: %w", errBrokenOff, err) }

func readAll(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, brokenOff(err)
	}
	return data, nil
}

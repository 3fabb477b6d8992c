package mcptoolbox_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"release-notes-agent/agent/mcptoolbox"
)

// listen serves one client over a socket, and returns the address. ended is closed
// when the server has seen its client leave.
func listen(t testing.TB, network, address string) (at net.Addr, ended <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		session, err := newServer("calc", nil).Connect(context.Background(), &mcp.IOTransport{Reader: conn, Writer: conn}, nil)
		if err == nil {
			_ = session.Wait()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr(), done
}

// tryToolbox lists and calls over a transport, and cancels.
func tryToolbox(t *testing.T, transport mcp.Transport) {
	t.Helper()
	box, err := mcptoolbox.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelAtEnd(t, box) // the second time, unless the test fails before
	add := find(t, box, "calc:add")
	if out, err := call(t.Context(), add, `{"A":20,"B":22}`); err != nil || out != "42" {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err := call(t.Context(), add, `{"A":"twenty"}`); err == nil || errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Errorf("arguments of the wrong type: %v", err)
	}
	if err := box.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := call(t.Context(), add, `{"A":1,"B":2}`); !errors.Is(err, mcptoolbox.ErrNotRunning) {
		t.Errorf("after Cancel: %v", err)
	}
}

func TestInMemory(t *testing.T) { tryToolbox(t, sdkServer(t, "calc", nil)) }

func TestSocketStreams(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			at, ended := listen(t, network, addressFor(t, network))
			conn, err := net.Dial(network, at.String())
			if err != nil {
				t.Fatal(err)
			}
			tryToolbox(t, mcptoolbox.Stream(conn))
			wantEnded(t, ended)
		})
	}
}

// The SDK's own transport over streams is replaced by Stream.
func TestIOTransport(t *testing.T) {
	at, ended := listen(t, "tcp", "127.0.0.1:0")
	conn, err := net.Dial("tcp", at.String())
	if err != nil {
		t.Fatal(err)
	}
	tryToolbox(t, &mcp.IOTransport{Reader: conn, Writer: conn})
	wantEnded(t, ended)
}

// addressFor is an address that is free. Paths of sockets may not be long, as those
// of t.TempDir are.
func addressFor(t *testing.T, network string) string {
	t.Helper()
	if network == "tcp" {
		return "127.0.0.1:0"
	}
	dir, err := os.MkdirTemp("", "mcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

func wantEnded(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the server did not see its client leave")
	}
}

// A bearer adds a token to every request, as programs do for remote servers.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// serveHTTP serves over streamable HTTP those who know the token.
func serveHTTP(t *testing.T, token string, options *mcp.StreamableHTTPOptions) *mcp.StreamableClientTransport {
	t.Helper()
	server := newServer("calc", nil)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return &mcp.StreamableClientTransport{Endpoint: ts.URL, HTTPClient: &http.Client{Transport: bearer{"sesame"}}}
}

func TestStreamableHTTPWithABearerHeader(t *testing.T) {
	for _, test := range []struct {
		what    string
		options mcp.StreamableHTTPOptions
	}{
		{"events", mcp.StreamableHTTPOptions{}},
		{"plain JSON", mcp.StreamableHTTPOptions{JSONResponse: true}},
		{"without sessions", mcp.StreamableHTTPOptions{Stateless: true}},
	} {
		t.Run(test.what, func(t *testing.T) { tryToolbox(t, serveHTTP(t, "sesame", &test.options)) })
	}
}

func TestStreamableHTTPWithAWrongToken(t *testing.T) {
	_, err := mcptoolbox.Connect(t.Context(), serveHTTP(t, "another", nil), nil)
	if err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Fatalf("got %v", err)
	}
	if strings.Contains(err.Error(), "sesame") {
		t.Errorf("the token is in the error: %v", err)
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint := "http://" + listener.Addr().String()
	_ = listener.Close()
	_, err = mcptoolbox.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint}, nil)
	if err == nil || !strings.Contains(err.Error(), "connecting to the MCP server") || !strings.Contains(err.Error(), endpoint) {
		t.Errorf("got %v", err)
	}
}

func TestToolboxesSideBySide(t *testing.T) {
	first, err := mcptoolbox.Connect(t.Context(), serveHTTP(t, "sesame", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	second := connectFake(t, &fake{})
	if err := first.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"fake:add", "fake:echo"}, names(list(t, second))); diff != "" {
		t.Errorf("the other toolbox is cancelled too:\n%s", diff)
	}
}

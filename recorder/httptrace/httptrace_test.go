package httptrace_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"tracex/recorder"
	"tracex/recorder/httptrace"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/recordertest"
)

func TestMiddleware(t *testing.T) { versiontest.EachVersion(t, testMiddleware) }

func testMiddleware(t *testing.T) {
	text := recordertest.Text(t, recorder.Config{}, func(r *recorder.Recorder) {
		find := r.Method(r.Class("shop.Store"), "Find", recorder.Type{})
		mux := http.NewServeMux()
		mux.HandleFunc("/found", func(w http.ResponseWriter, req *http.Request) {
			th := recorder.FromContext(req.Context())
			th.Enter(find, 0, recorder.Null(), recorder.Int(5))
			th.Exit(recorder.Bool(true))
			fmt.Fprint(w, "here")
			w.(http.Flusher).Flush()
			w.WriteHeader(http.StatusTeapot) // too late
		})
		mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic(errors.New("oh")) })
		h := httptrace.Middleware(r, httptrace.Middleware(r, mux))
		for _, path := range []string{"/found", "/missing", "/panic"} {
			func() {
				defer func() {
					if v := recover(); (v != nil) != (path == "/panic") {
						t.Errorf("%s: %v", path, v)
					}
				}()
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
				if path == "/found" && (w.Body.String() != "here" || !w.Flushed) {
					t.Errorf("%s: %q, flushed %v", path, w.Body, w.Flushed)
				}
			}()
		}
	})
	recordertest.SameText(t, versiontest.WithoutIdentity(text), `# Thread 1 (GET /found)
Handler.ServeHTTP("GET", "/found"): 200
  ServeHTTP("GET", "/found"): 200
    Store.Find(5): true
# Thread 2 (GET /missing)
Handler.ServeHTTP("GET", "/missing"): 404
  ServeHTTP("GET", "/missing"): 404
# Thread 3 (GET /panic)
Handler.ServeHTTP("GET", "/panic"): threw errors.errorString
  ServeHTTP("GET", "/panic"): threw errors.errorString
    throw `+versiontest.ErrorText("errors.errorString", "oh")+"\n")
}

// A handler within the middleware takes over the connection, as a WebSocket handler does; if
// that is impossible, the handler can tell.
func TestMiddlewareHijacked(t *testing.T) {
	text := recordertest.Text(t, recorder.Config{}, func(r *recorder.Recorder) {
		take := func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
			return w.(http.Hijacker).Hijack()
		}
		mux := http.NewServeMux()
		mux.HandleFunc("/plain", func(w http.ResponseWriter, _ *http.Request) { answer(t, w, take) })
		mux.HandleFunc("/controlled", func(w http.ResponseWriter, _ *http.Request) {
			answer(t, w, func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
				return http.NewResponseController(w).Hijack()
			})
		})
		h := httptrace.Middleware(r, httptrace.Middleware(r, mux))
		served := make(chan struct{}, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			h.ServeHTTP(w, req)
			served <- struct{}{}
		}))
		defer server.Close()
		for _, path := range []string{"/plain", "/controlled"} {
			response, err := http.Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(response.Body); string(body) != "ours" || err != nil || response.StatusCode != http.StatusAccepted {
				t.Errorf("%s: %s, %q, %v", path, response.Status, body, err)
			}
			response.Body.Close()
			<-served
		}
		httptrace.Middleware(r, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if _, ok := w.(http.Hijacker); ok {
				t.Error("what cannot be taken over says that it can")
			}
			if _, _, err := http.NewResponseController(w).Hijack(); !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("Hijack: %v", err)
			}
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/not", nil))
	})
	recordertest.SameText(t, text, `# Thread 1 (GET /plain)
Handler.ServeHTTP("GET", "/plain"): 101
  ServeHTTP("GET", "/plain"): 101
# Thread 2 (GET /controlled)
Handler.ServeHTTP("GET", "/controlled"): 101
  ServeHTTP("GET", "/controlled"): 101
# Thread 3 (GET /not)
Handler.ServeHTTP("GET", "/not"): 200
`)
}

// answer takes over a connection and answers on it.
func answer(t *testing.T, w http.ResponseWriter, take func(http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error)) {
	conn, buffered, err := take(w)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(buffered, "HTTP/1.1 202 Accepted\r\nContent-Length: 4\r\nConnection: close\r\n\r\nours")
	if err := buffered.Flush(); err != nil {
		t.Error(err)
	}
}

package recorder_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tracex/lazy"
	"tracex/recorder"
)

// record runs f with a recorder and returns the text of the trace.
func record(t *testing.T, c recorder.Config, f func(r *recorder.Recorder)) string {
	t.Helper()
	c.Path = filepath.Join(t.TempDir(), "trace.bin")
	r, err := recorder.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	f(r)
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	forest := load(t, c.Path)
	verify(t, c.Path, forest)
	var text bytes.Buffer
	if err := forest.Print(&text, lazy.PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("the trace is\n%s\nwant\n%s", got, want)
	}
}

// loud fails when a log handler or the recorder calls it.
type loud struct{}

func (loud) LogValue() slog.Value { panic("LogValue was called") }
func (loud) String() string       { panic("String was called") }
func (loud) Error() string        { panic("Error was called") }

func TestLogHandler(t *testing.T) { recorder.EachVersion(t, testLogHandler) }

func testLogHandler(t *testing.T) {
	var lines strings.Builder
	text := record(t, recorder.Config{MaxString: 200}, func(r *recorder.Recorder) {
		next := slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelWarn,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == "loud" {
					return slog.Attr{}
				}
				return a
			}})
		log := slog.New(recorder.NewHandler(r, next))
		alone := slog.New(recorder.NewHandler(r, nil))
		th := r.Thread("main")
		ctx := recorder.NewContext(context.Background(), th)
		log.Warn("before") // no context
		th.Enter(r.Method(r.Class("shop"), "Buy", recorder.Type{}), 0, recorder.Null())
		log.InfoContext(ctx, "buying", "price", 12.5, "count", 3, slog.Group("who", "name", "Ann", "old", true))
		log.With("id", uint64(7)).WithGroup("g").With("took", time.Second).WarnContext(ctx, "slow", "x", "y")
		alone.ErrorContext(ctx, "failed", "loud", loud{}, "none", nil)
		alone.With("cause", io.EOF).ErrorContext(ctx, "lost", "err", fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), "body", []byte("GET"), "kind", reflect.Int)
		var group sync.WaitGroup
		group.Go(func() { log.WarnContext(ctx, "on another goroutine") })
		group.Wait()
		th.Exit(recorder.Void())
	})
	same(t, regexp.MustCompile(`goroutine \d+`).ReplaceAllString(text, "goroutine N"), `# Thread 1 (main)
shop.Buy()
  log INFO = "buying price=12.5 count=3 who.name=Ann who.old=true"
  log WARN = "slow id=7 g.took=1s g.x=y"
  log ERROR = "failed loud=<recorder_test.loud> none=<nil>"
  log ERROR = "lost cause=errors.errorString: EOF err=fmt.wrapError: reading: unexpected EOF body=[]byte("GET") kind=2"
# Thread 2 (main, goroutine N)
<from> = main
log WARN = "on another goroutine"
`)
	if want := "level=WARN msg=before\nlevel=WARN msg=slow id=7 g.took=1s g.x=y\nlevel=WARN msg=\"on another goroutine\"\n"; lines.String() != want {
		t.Errorf("the next handler has %q, want %q", lines.String(), want)
	}
}

func TestMiddleware(t *testing.T) { recorder.EachVersion(t, testMiddleware) }

func testMiddleware(t *testing.T) {
	text := record(t, recorder.Config{}, func(r *recorder.Recorder) {
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
		h := recorder.Middleware(r, recorder.Middleware(r, mux))
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
	same(t, recorder.WithoutIdentity(text), `# Thread 1 (GET /found)
Handler.ServeHTTP("GET", "/found"): 200
  ServeHTTP("GET", "/found"): 200
    Store.Find(5): true
# Thread 2 (GET /missing)
Handler.ServeHTTP("GET", "/missing"): 404
  ServeHTTP("GET", "/missing"): 404
# Thread 3 (GET /panic)
Handler.ServeHTTP("GET", "/panic"): threw errors.errorString
  ServeHTTP("GET", "/panic"): threw errors.errorString
    throw `+recorder.ErrorText("errors.errorString", "oh")+"\n")
}

// A handler behind the middleware takes the connection over, as one of WebSockets
// does; where that cannot be, it sees so.
func TestMiddlewareHijacked(t *testing.T) {
	text := record(t, recorder.Config{}, func(r *recorder.Recorder) {
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
		h := recorder.Middleware(r, recorder.Middleware(r, mux))
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
		recorder.Middleware(r, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if _, ok := w.(http.Hijacker); ok {
				t.Error("what cannot be taken over says that it can")
			}
			if _, _, err := http.NewResponseController(w).Hijack(); !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("Hijack: %v", err)
			}
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/not", nil))
	})
	same(t, text, `# Thread 1 (GET /plain)
Handler.ServeHTTP("GET", "/plain"): 101
  ServeHTTP("GET", "/plain"): 101
# Thread 2 (GET /controlled)
Handler.ServeHTTP("GET", "/controlled"): 101
  ServeHTTP("GET", "/controlled"): 101
# Thread 3 (GET /not)
Handler.ServeHTTP("GET", "/not"): 200
`)
}

// answer takes a connection over and answers on it.
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

// A thread belongs to a goroutine, whatever context its children get.
func TestContext(t *testing.T) { recorder.EachVersion(t, testContext) }

func testContext(t *testing.T) {
	text := record(t, recorder.Config{}, func(r *recorder.Recorder) {
		th := r.Thread("main")
		m := r.Method(r.Class("shop"), "Run", recorder.Type{})
		ctx := recorder.NewContext(context.Background(), th)
		if recorder.FromContext(ctx) != th || recorder.Own(ctx) != th {
			t.Error("the context has not the thread it was given")
		}
		if recorder.FromContext(context.Background()) != nil || recorder.Own(context.Background()) != nil {
			t.Error("a context without a thread has one")
		}
		th.Enter(m, 0, recorder.Null())
		done := make(chan struct{})
		r.Go(ctx, "child", func(ctx context.Context) {
			defer close(done)
			own := recorder.Own(ctx)
			if own == th || own == nil || own != recorder.FromContext(ctx) {
				t.Error("the child has not a thread of its own")
			}
			own.Enter(m, 0, recorder.Null())
			own.Exit(recorder.Void())
		})
		<-done
		var group sync.WaitGroup
		group.Go(func() {
			if recorder.Own(ctx) != nil {
				t.Error("a goroutine owns the thread of another")
			}
		})
		group.Wait()
		th.Exit(recorder.Void())
	})
	same(t, text, `# Thread 1 (main)
shop.Run()
# Thread 2 (child)
shop.Run()
`)
}

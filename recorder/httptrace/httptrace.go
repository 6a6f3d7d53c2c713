// Package httptrace records the requests that a net/http server answers.
package httptrace

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"

	"tracex/recorder"
)

// Middleware returns a handler that records each request as a call, with what next does as its
// children. next finds the thread in the request's context: that of a middleware around this
// one, or the request's own. The call's result is the status, or the value that next panicked
// with, which reaches the server. If next takes over the connection, the status is 101, unless
// another one was sent. A nil next is http.DefaultServeMux; with a nil r, Middleware returns
// next.
func Middleware(r *recorder.Recorder, next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux // as for a server
	}
	if r == nil {
		return next
	}
	text := recorder.ObjectType("string")
	serve := r.Method(r.Class("http.Handler"), "ServeHTTP", recorder.Type{}, text, text)
	at := r.Caller(1)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		path := ""
		if req.URL != nil {
			path = req.URL.Path
		}
		r.Do(req.Context(), req.Method+" "+path, func(ctx context.Context) {
			t := recorder.Own(ctx)
			status := &statusWriter{ResponseWriter: w, status: http.StatusOK}
			defer t.Call(serve, at, recorder.Null(), recorder.String(req.Method), recorder.String(path)).End(&status.status)
			if recorder.Own(req.Context()) != t { // so that what other goroutines record came from this call
				req = req.WithContext(recorder.NewContext(ctx, t))
			}
			next.ServeHTTP(status.asAble(), req)
		})
	})
}

// statusWriter notes the status of a response. Other abilities of the ResponseWriter are
// reached through Unwrap, as http.ResponseController does.
type statusWriter struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (w *statusWriter) WriteHeader(status int) {
	// A 1xx is informational: the status follows later.
	if !w.wrote && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

// ReadFrom keeps the fast path from a file to a connection.
func (w *statusWriter) ReadFrom(from io.Reader) (int64, error) {
	w.wrote = true
	return io.Copy(w.ResponseWriter, from)
}

// Flush sends what is buffered, if the writer can.
func (w *statusWriter) Flush() {
	w.wrote = true
	_ = http.NewResponseController(w.ResponseWriter).Flush() // a Flusher returns no error
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// asAble returns w as an http.Hijacker if its ResponseWriter is one: WebSocket handlers require
// it.
func (w *statusWriter) asAble() http.ResponseWriter {
	if h, ok := w.ResponseWriter.(http.Hijacker); ok {
		return &hijackWriter{w, h}
	}
	return w
}

// hijackWriter is a statusWriter whose connection can be taken over.
type hijackWriter struct {
	*statusWriter
	hijacker http.Hijacker
}

// Hijack lets the handler take over the connection. The status that the handler then sends is
// not seen.
func (w *hijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.hijacker.Hijack()
	if err == nil && !w.wrote {
		w.status, w.wrote = http.StatusSwitchingProtocols, true
	}
	return conn, buffered, err
}

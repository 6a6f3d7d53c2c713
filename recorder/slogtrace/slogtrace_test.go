package slogtrace_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tracex/recorder"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/recordertest"
	"tracex/recorder/slogtrace"
)

// loud fails when a log handler or the recorder calls it.
type loud struct{}

func (loud) LogValue() slog.Value { panic("LogValue was called") }
func (loud) String() string       { panic("String was called") }
func (loud) Error() string        { panic("Error was called") }

func TestLogHandler(t *testing.T) { versiontest.EachVersion(t, testLogHandler) }

func testLogHandler(t *testing.T) {
	var lines strings.Builder
	text := recordertest.Text(t, recorder.Config{MaxString: 200}, func(r *recorder.Recorder) {
		next := slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelWarn,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == "loud" {
					return slog.Attr{}
				}
				return a
			}})
		log := slog.New(slogtrace.NewHandler(r, next, nil))
		alone := slog.New(slogtrace.NewHandler(r, nil, nil))
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
	recordertest.SameText(t, regexp.MustCompile(`goroutine \d+`).ReplaceAllString(text, "goroutine N"), `# Thread 1 (main)
shop.Buy()
  log INFO = "buying price=12.5 count=3 who.name=Ann who.old=true"
  log WARN = "slow id=7 g.took=1s g.x=y"
  log ERROR = "failed loud=<slogtrace_test.loud> none=<nil>"
  log ERROR = "lost cause=errors.errorString: EOF err=fmt.wrapError: reading: unexpected EOF body=[]byte("GET") kind=2"
# Thread 2 (main, goroutine N)
<from> = main
log WARN = "on another goroutine"
`)
	if want := "level=WARN msg=before\nlevel=WARN msg=slow id=7 g.took=1s g.x=y\nlevel=WARN msg=\"on another goroutine\"\n"; lines.String() != want {
		t.Errorf("the next handler has %q, want %q", lines.String(), want)
	}
}

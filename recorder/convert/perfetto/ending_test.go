package perfetto

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/internal/perfetto/calls"
)

// TestLiveBefore has another conversion that adds a thread before the end of a trace: its numbers are
// new, also if packets were converted at the end, and its times are converted.
func TestLiveBefore(t *testing.T) { eachVersion(t, testLiveBefore) }

func testLiveBefore(t *testing.T, v format.Version) {
	enter, void := enterIn(v), voidFooter(v)
	for name, more := range map[string]func(s *callsStory){
		"alone": func(*callsStory) {},
		"with another recorder": func(s *callsStory) {
			s.refer(t, 2, 3)
			joinedPart(s, 2, "second", 11_300, calls.Part{Objects: slices.Concat(enter(2), void), Times: each(2, 5)})
		},
		"with events": func(s *callsStory) {
			events := &story{trace: s.trace}
			events.track(10, 0, "", ofThreadOf(51, 7, "T"))
			events.on(2, 10)
			events.begin(11_400, "A")
			events.end(11_500)
			s.trace = events.trace
		},
	} {
		t.Run(name, func(t *testing.T) {
			clocks := &story{}
			clocks.clocksAt(clockBoottime, clockBoottime, 11_000, clockMonotonic, 1000)
			s := &callsStory{version: v, trace: clocks.trace}
			s.refer(t, 1, 5)
			s.part(calls.Part{Objects: slices.Concat(enter(4), void, enter(1)), Times: each(3, 10)}, 11_100)
			more(s)
			f := new(liveFiles)
			o := f.options(Options{})
			o.Before = func(_ context.Context, to *tracefile.Writer, time func(int64) (int64, bool)) error {
				addThread(t, v, to, time)
				return nil
			}
			l := NewLive(o)
			defer l.Close()
			l.Programs = []*tracefile.Program{{PID: 2, Name: "shop"}}
			if err := l.Take(s.trace); err != nil {
				t.Fatal(err)
			}
			if err := l.Advance(l.Taken()); err != nil {
				t.Fatal(err)
			}
			w := endLive(t, l, f)
			whole(t, w)
			unique(t, w)
			if w.origin != 11_100 || w.result.Took != 1_000_000-11_100 {
				t.Errorf("from %d, it took %d", w.origin, w.result.Took)
			}
			ctx := contextOf(t, w.data)
			for _, th := range w.result.Threads {
				if th.Name != "worker" && th.Name != "shop 2 › second" && th.Name != "process 51 › T 7" {
					t.Errorf("it has a thread %q", th.Name)
				}
			}
			var added []string
			for id, c := range containerTimes(t, w) {
				if c.Duration == 77 {
					added = append(added, ctx.Thread(threadOf(t, w, id)).Name)
				}
			}
			if got := strings.Join(added, " "); got != "added" {
				t.Errorf("added threads: %q", got)
			}
		})
	}
}

// addThread adds a thread with a call.
func addThread(t *testing.T, v format.Version, to *tracefile.Writer, time func(int64) (int64, bool)) {
	t.Helper()
	if to.Version() != v {
		t.Errorf("version %d", to.Version())
	}
	ns, known := time(1200)
	if !known || ns != 100 {
		t.Errorf("the time of 1200 is %d, %v", ns, known)
	}
	b := &tracefile.Block{Thread: int32(to.Threads), Name: "added", Named: true}
	class, method := to.IDs[format.KindClassDescriptor], to.IDs[format.KindMethodDescriptor]
	for _, o := range []interface {
		Append([]byte, format.Version) ([]byte, error)
	}{
		&format.ClassDescriptor{ID: class, Name: "Added"},
		&format.MethodDescriptor{ID: method, ClassID: class, Name: "added", Result: format.Type{Kind: format.TypeVoid}},
	} {
		object, err := o.Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		b.Reference(object, v)
	}
	at := b.Header(v.AppendCall(b.Bytes(), -1, b.Thread, int32(to.Events), method, 0, nil))
	b.Footer(append(b.Bytes(), voidFooter(v)...), at, format.TimeCell{ID: int32(to.Events), Start: ns, Duration: 77})
	to.EndThread(b)
	to.Last = 1_000_000 - 11_100
}

// threadOf returns the thread of an event.
func threadOf(t *testing.T, w *written, event int32) int32 {
	t.Helper()
	s := format.NewBytesScanner(w.data)
	for s.Next() {
		if o := s.Object(); o.Kind == format.KindTracePoint && format.EventOf(o.Bytes) == event {
			return o.Thread
		}
	}
	t.Fatalf("there is no event %d", event)
	return 0
}

// TestLiveBeforeFails: a trace to which something cannot be added does not end.
func TestLiveBeforeFails(t *testing.T) {
	s := &callsStory{}
	s.refer(t, 1, 2)
	s.part(calls.Part{Objects: slices.Concat(enterIn(format.V22)(1), voidFooter(format.V22)), Times: each(2, 10)}, 1000)
	f := new(liveFiles)
	o := f.options(Options{})
	o.Before = func(_ context.Context, _ *tracefile.Writer, time func(int64) (int64, bool)) error {
		if _, known := time(1); known {
			t.Error("there is no snapshot, but times are known")
		}
		return errBroken
	}
	l := NewLive(o)
	defer l.Close()
	if err := l.Take(s.trace); err != nil {
		t.Fatal(err)
	}
	if _, err := l.End(t.Context(), func() (io.Reader, error) { return bytes.NewReader(f.rest.Bytes()), nil }); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}

package perfetto

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
)

// liveFiles are the files of a live conversion, in memory.
type liveFiles struct {
	data, index, times, rest, progress bytes.Buffer
	created                            int
}

func (f *liveFiles) output() tracefile.Files {
	return tracefile.Files{Data: &f.data, Index: &f.index, Times: &f.times}
}

func (f *liveFiles) options(o Options) LiveOptions {
	return LiveOptions{Options: o, Rest: &f.rest, Progress: &f.progress, Create: func() (tracefile.Files, error) {
		f.created++
		return f.output(), nil
	}}
}

// frames splits a trace into its packets, with their frames.
func frames(t *testing.T, trace []byte) (all [][]byte) {
	t.Helper()
	for len(trace) > 0 {
		_, _, n := protowire.ConsumeField(trace)
		if n < 0 {
			t.Fatal("no packet")
		}
		all = append(all, trace[:n:n])
		trace = trace[n:]
	}
	return all
}

// convertLive converts a trace as it arrives: writes what has arrived at random
// moments, some of them with what arrives before the next.
func convertLive(t *testing.T, trace []byte, o Options, seed uint64) (*written, *liveFiles) {
	t.Helper()
	f, random := new(liveFiles), rand.New(rand.NewPCG(seed, 1))
	l := NewLive(f.options(o))
	defer func() { l.Close() }()
	mark := 0
	for _, frame := range frames(t, trace) {
		if err := l.Take(bytes.Clone(frame)); err != nil {
			t.Fatal(err)
		}
		switch random.IntN(4) {
		case 0:
			mark = l.Taken()
		case 1:
			if err := l.Advance(mark); err != nil {
				t.Fatal(err)
			}
			checkGrowing(t, f)
		case 2:
			if random.IntN(3) == 0 && l.Begun() && l.Held() == 0 && len(l.waiting.references) == 0 {
				l = resumeLive(t, l, f, o)
				mark = 0
			}
		}
	}
	return endLive(t, l, f), f
}

// resumeLive replaces a Live by one that continues its files, after bytes that were
// written too late.
func resumeLive(t *testing.T, l *Live, f *liveFiles, o Options) *Live {
	t.Helper()
	l.Close()
	f.data.WriteString("late")
	resumed, err := ResumeLive(f.options(o), append(bytes.Clone(f.progress.Bytes()), 1, 2, 3), func(at tracefile.Sizes) (tracefile.Files, error) {
		for b, size := range map[*bytes.Buffer]int64{&f.data: at.Data, &f.index: at.Index, &f.times: at.Times} {
			b.Truncate(int(size))
		}
		return f.output(), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	resumed.packets.left, resumed.packets.packets = l.packets.left, l.packets.packets
	resumed.trace.calls.w.left, resumed.packets.recorded.left = l.packets.left, l.packets.left
	return resumed
}

func endLive(t *testing.T, l *Live, f *liveFiles) *written {
	t.Helper()
	result, err := l.End(t.Context(), func() (io.Reader, error) { return bytes.NewReader(f.rest.Bytes()), nil })
	if err != nil {
		t.Fatal(err)
	}
	return &written{data: f.data.Bytes(), index: f.index.Bytes(), times: f.times.Bytes(), result: result, origin: l.trace.calls.w.blocks.To.Origin}
}

// checkGrowing checks that the data written so far ends with a whole block.
func checkGrowing(t *testing.T, f *liveFiles) {
	t.Helper()
	if f.data.Len() == 0 {
		return
	}
	if b := f.data.Bytes(); len(b) > format.HeaderSize && format.Kind(b[len(b)-1]) != format.KindBlockEnd {
		t.Fatalf("the data ends with %d", b[len(b)-1])
	}
	s := format.NewBytesScanner(f.data.Bytes())
	for s.Next() {
	}
	if err := s.Err(); err != nil && !errors.Is(err, format.ErrTruncated) {
		t.Fatal(err)
	}
}

// sameLive compares the trace that a recorder's packets become while they arrive with
// the one that they become afterwards.
// It does nothing, and returns false, for a trace with other packets.
func sameLive(t *testing.T, trace []byte) bool {
	t.Helper()
	want, err := convertBytes(t, trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) {
		got, f := convertLive(t, trace, Options{BlockSize: 1 << 10}, seed)
		if f.rest.Len() > 0 {
			return false
		}
		if text := inFull(t, got); text != inFull(t, want) {
			t.Fatalf("live (%d) it is\n%s\nwant\n%s", seed, text, inFull(t, want))
		}
	}
	return true
}

// inFull returns all of a trace as text, thread by thread, with ids and times.
func inFull(t *testing.T, w *written) string {
	t.Helper()
	times := map[int32]format.TimeCell{}
	for e, c := range containerTimes(t, w) {
		if c.Known() {
			c.Start += w.origin
		}
		times[e] = c
	}
	lines := map[int32][]string{}
	ctx := format.NewContext(versionIn(t, w.data))
	s := format.NewBytesScanner(w.data)
	for s.Next() {
		o := s.Object()
		switch {
		case o.Kind == format.KindTracePoint:
			event := format.EventOf(o.Bytes)
			lines[o.Thread] = append(lines[o.Thread], fmt.Sprintf("%x %v", o.Bytes, times[event]))
		case o.Kind == format.KindFooter:
			lines[o.Thread] = append(lines[o.Thread], fmt.Sprintf("%x", o.Bytes))
		case o.Kind.Reference():
			if _, _, err := ctx.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	r := w.result
	out := []string{fmt.Sprint(r.Events, r.Took, r.Version, r.Start.UnixNano(), ctx.Counts(), leftOf(w))}
	for _, th := range r.Threads {
		name := ctx.Thread(th.ID)
		if name == nil {
			t.Fatalf("thread %d has no name", th.ID)
		}
		out = append(append(out, fmt.Sprint("# ", th.ID, " ", th.Name, " ", name.Name)), lines[th.ID]...)
	}
	return strings.Join(out, "\n")
}

// TestLiveTraces converts recordings of all shapes while they arrive.
func TestLiveTraces(t *testing.T) {
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Deep, formattest.Threads} {
		for _, v := range versions {
			t.Run(fmt.Sprint(shape, " ", v), func(t *testing.T) {
				data, _ := formattest.Bytes(t, formattest.Spec{Shape: shape, N: 400, Options: formattest.Options{Version: v}})
				if !sameLive(t, wrap(t, data, 1).story.trace) {
					t.Error("packets are left for the end")
				}
			})
		}
	}
}

// TestLiveRest has a recorder, tracks and another recorder: the first is converted
// live, and nothing is lost.
func TestLiveRest(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 300, Options: formattest.Options{Version: format.V27}})
	first, second := frames(t, wrap(t, data, 1).story.trace), frames(t, wrap(t, data, 2).story.trace)
	s := simple()
	s.begin(1200, "slice")
	s.end(1300)
	var mixed []byte
	for _, f := range [][]byte{first[0], second[0], s.trace} {
		mixed = append(mixed, f...)
	}
	mixed = append(append(mixed, bytes.Join(second[1:], nil)...), bytes.Join(first[1:], nil)...)
	want, err := convertBytes(t, mixed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, f := convertLive(t, mixed, Options{}, 1)
	if len(frames(t, f.rest.Bytes())) != len(frames(t, s.trace))+len(second) {
		t.Errorf("%d packets are left for the end", len(frames(t, f.rest.Bytes())))
	}
	a, b := textsOf(t, got), textsOf(t, want)
	if !slices.Equal(a, b) || got.result.Events != want.result.Events || len(got.result.LeftOut) > 0 {
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		at := max(0, i-1)
		t.Errorf("%d and %d lines differ after %q, %q; %d and %d events; left out: %v", len(a), len(b), a[at:i+1], b[at:i+1], got.result.Events, want.result.Events, got.result.LeftOut)
	}
	events := map[int32]bool{}
	for _, o := range pointsOf(t, got.data) {
		if o.Kind == format.KindTracePoint {
			if e := format.EventOf(o.Bytes); events[e] {
				t.Fatalf("two events have the number %d", e)
			} else {
				events[e] = true
			}
		}
	}
}

// textsOf returns the texts of all trace points, sorted by thread name. The first
// recorder's threads have no prefix.
func textsOf(t *testing.T, w *written) (all []string) {
	t.Helper()
	ctx := contextOf(t, w.data)
	names := map[int32]string{}
	for _, th := range w.result.Threads {
		names[th.ID] = strings.TrimPrefix(th.Name, "recording › ")
	}
	for _, o := range pointsOf(t, w.data) {
		var p format.Point
		text := fmt.Sprintf("%x", o.Bytes)
		if o.Kind == format.KindTracePoint {
			if _, err := ctx.Version().DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			text = string(ctx.AppendText(nil, &p, nil, format.Parent{}, true))
		} else if o.Class == format.ClassCall {
			var f format.Footer
			if _, err := ctx.Version().DecodeFooter(o.Bytes, o.Class, &f); err != nil {
				t.Fatal(err)
			}
			text = string(ctx.AppendValueText([]byte(") "), &f.Result))
		}
		all = append(all, names[o.Thread]+": "+text)
	}
	slices.SortStableFunc(all, func(a, b string) int {
		a, _, _ = strings.Cut(a, ": ")
		b, _, _ = strings.Cut(b, ": ")
		return strings.Compare(a, b)
	})
	return all
}

// TestLiveNothing has no calls: all packets stay for the end.
func TestLiveNothing(t *testing.T) {
	s := simple()
	s.begin(1200, "slice")
	f := new(liveFiles)
	l := NewLive(f.options(Options{}))
	defer l.Close()
	if err := l.Take(s.trace); err != nil {
		t.Fatal(err)
	}
	if _, err := l.End(t.Context(), nil); !errors.Is(err, ErrNoCalls) || f.created > 0 || !bytes.Equal(f.rest.Bytes(), s.trace) {
		t.Errorf("%v, %d files", err, f.created)
	}
}

// TestLiveVersion has calls of a version other than the one to write: they are for the
// end.
func TestLiveVersion(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 100, Options: formattest.Options{Version: format.V27}})
	trace := wrap(t, data, 1).story.trace
	f := new(liveFiles)
	l := NewLive(f.options(Options{FormatVersion: format.V22}))
	defer l.Close()
	if err := l.Take(trace); err != nil {
		t.Fatal(err)
	}
	if _, err := l.End(t.Context(), nil); !errors.Is(err, ErrNoCalls) || !bytes.Equal(f.rest.Bytes(), trace) {
		t.Errorf("%v, %d of %d bytes", err, f.rest.Len(), len(trace))
	}
}

// fullDisk is a file on a disk that has room for some bytes.
type fullDisk struct {
	bytes.Buffer
	room int
}

var errFull = errors.New("no space")

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.Len()+len(b) > f.room {
		n, _ := f.Buffer.Write(b[:f.room-f.Len()])
		return n, errFull
	}
	return f.Buffer.Write(b)
}

// TestLiveFull fills the disk at all stages: what was written and what was left
// together have all calls.
func TestLiveFull(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 2000, Options: formattest.Options{Version: format.V27}})
	trace := wrap(t, data, 1).story.trace
	whole, err := convertBytes(t, trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for room := 0; room < len(whole.data); room += len(whole.data)/7 + 1 {
		f, disk := new(liveFiles), &fullDisk{room: room}
		o := f.options(Options{})
		o.Create = func() (tracefile.Files, error) {
			return tracefile.Files{Data: disk, Index: &f.index, Times: &f.times}, nil
		}
		l := NewLive(o)
		told := 0
		for _, frame := range frames(t, trace) {
			if err := l.Take(frame); err != nil {
				t.Fatal(err)
			}
			if err := l.Advance(l.Taken()); err != nil {
				told++
			}
		}
		if _, err := l.End(t.Context(), func() (io.Reader, error) { return new(bytes.Buffer), nil }); !errors.Is(err, errFull) || told > 1 {
			t.Fatalf("with room for %d bytes: %v, told %d times", room, err, told)
		}
		l.Close()
		rest, err := convertBytes(t, f.rest.Bytes(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		events := rest.result.Events
		resumed, err := ResumeLive(f.options(Options{}), f.progress.Bytes(), func(at tracefile.Sizes) (tracefile.Files, error) {
			f.data.Write(disk.Bytes()[:at.Data])
			f.index.Truncate(int(at.Index))
			f.times.Truncate(int(at.Times))
			return f.output(), nil
		})
		if err == nil {
			ended, err := resumed.End(t.Context(), func() (io.Reader, error) { return new(bytes.Buffer), nil })
			if err != nil {
				t.Fatal(err)
			}
			events += ended.Events
		} else if !errors.Is(err, ErrNoProgress) {
			t.Fatal(err)
		}
		if events != whole.result.Events {
			t.Errorf("with room for %d bytes there are %d events, want %d", room, events, whole.result.Events)
		}
	}
}

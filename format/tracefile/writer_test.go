package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format"
)

// written holds the files of a trace in memory.
type written struct{ data, index, times bytes.Buffer }

func (w *written) output() Files { return Files{&w.data, &w.index, &w.times} }

// kinds returns the kinds of the objects of the data, and of the cells of the index.
func (w *written) kinds(t *testing.T) (objects, cells []string) {
	t.Helper()
	s := format.NewBytesScanner(w.data.Bytes())
	for s.Next() {
		objects = append(objects, s.Object().Kind.String())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	n, err := format.CheckIndexTail(w.index.Bytes(), int64(w.index.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if times := timesIn(t, w.times.Bytes()); len(times) != int(n)+1 {
		t.Errorf("%d times for %d cells and the end", len(times), n)
	}
	for i := range int(n) {
		cells = append(cells, format.DecodeCell(w.index.Bytes()[format.HeaderSize+i*format.CellSize:]).Kind.String())
	}
	return objects, cells
}

// call writes a call of one thread over two blocks, the first of which ends with its header,
// and returns the logical offset of its content.
func call(t *testing.T, w *Writer, b *Block) int64 {
	t.Helper()
	start := b.Header(w.Version().AppendCall(b.Bytes(), -1, b.Thread, 0, 0, 0, nil))
	b.Touch(5)
	w.Flush(b)
	f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	data, err := f.Append(b.Bytes(), w.Version(), format.ClassCall)
	if err != nil {
		t.Fatal(err)
	}
	b.Footer(data, start, format.TimeCell{ID: 0, Start: 5, Duration: 2})
	b.Touch(7)
	w.EndThread(b)
	if err := w.End(9); err != nil {
		t.Fatal(err)
	}
	return start
}

// TestLast ends traces at the end of the recording, or at a later time in the trace.
func TestLast(t *testing.T) {
	for _, c := range []struct{ last, end, want int64 }{{0, 0, 7}, {0, 9, 9}, {20, 9, 20}} {
		var files written
		w := NewWriter(format.Newest, files.output(), time.Unix(0, 0))
		b := &Block{}
		b.Leaf(w.Version().AppendCall(b.Bytes(), -1, b.Thread, 0, 0, 0, nil))
		b.Touch(7)
		b.Touch(5)
		w.Flush(b)
		w.Last = max(w.Last, c.last)
		if err := w.End(c.end); err != nil {
			t.Fatal(err)
		}
		times := timesIn(t, files.times.Bytes())
		if got := times[len(times)-1].Start; got != c.want {
			t.Errorf("%+v: it ends at %d", c, got)
		}
	}
}

// TestWriter writes blocks that end with a header: with the thread's name after it,
// and without.
func TestWriter(t *testing.T) {
	const name = "THREAD_NAME"
	for _, c := range []struct {
		what           string
		named, dump    bool
		objects, cells string
	}{
		{"named", true, false,
			"BLOCK_START TRACEPOINT THREAD_NAME BLOCK_END BLOCK_START TRACEPOINT_FOOTER THREAD_NAME BLOCK_END EOF",
			"BLOCK_START THREAD_NAME BLOCK_START TRACEPOINT THREAD_NAME"},
		{"unnamed", false, false,
			"BLOCK_START TRACEPOINT BLOCK_END BLOCK_START TRACEPOINT_FOOTER BLOCK_END EOF",
			"BLOCK_START BLOCK_START TRACEPOINT"},
		{"dump", true, true,
			"BLOCK_START TRACEPOINT THREAD_NAME BLOCK_END BLOCK_START TRACEPOINT_FOOTER THREAD_NAME BLOCK_END EOF",
			"THREAD_NAME BLOCK_START TRACEPOINT THREAD_NAME BLOCK_START"},
	} {
		t.Run(c.what, func(t *testing.T) {
			var files written
			w := NewWriter(format.V27, files.output(), time.Unix(0, 0))
			w.Dump = c.dump
			b := &Block{Name: "main", Named: c.named}
			start := call(t, w, b)
			objects, cells := files.kinds(t)
			if got := strings.Join(objects, " "); got != c.objects {
				t.Errorf("objects %s, want %s", got, c.objects)
			}
			if got := strings.Join(cells, " "); got != c.cells {
				t.Errorf("cells %s, want %s", got, c.cells)
			}
			at := format.HeaderSize + slices.Index(cells, "TRACEPOINT")*format.CellSize
			cell := format.DecodeCell(files.index.Bytes()[at:])
			end := start
			if c.named { // the name is content too
				end += int64(1 + format.IDSize + format.UTFHeadSize + len("main"))
			}
			if cell.Start != start || cell.End != end {
				t.Errorf("the call's content is from %d to %d, want %d to %d", cell.Start, cell.End, start, end)
			}
			if i := slices.Index(cells, name); i >= 0 {
				cell := format.DecodeCell(files.index.Bytes()[format.HeaderSize+i*format.CellSize:])
				if kind := format.Kind(files.data.Bytes()[cell.Start]); kind != format.KindThreadName {
					t.Errorf("the name's cell leads to a %v", kind)
				}
			}
			tc := timesIn(t, files.times.Bytes())[(at-format.HeaderSize)/format.CellSize]
			if tc != (format.TimeCell{ID: 0, Start: 5, Duration: 2}) {
				t.Errorf("the call's time is %v", tc)
			}
		})
	}
}

// failing accepts some bytes and then fails.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestWriterFails has a file that fails: the first failure sticks.
func TestWriterFails(t *testing.T) {
	var files written
	to := files.output()
	to.Index = &failing{left: writeAt}
	w := NewWriter(format.V22, to, time.Unix(0, 0))
	object, err := (&format.StringObject{ID: 1, Value: "text"}).Append(nil, format.V22)
	if err != nil {
		t.Fatal(err)
	}
	b := &Block{}
	for range 2 * writeAt / format.CellSize {
		b.Reference(object, format.V22)
	}
	w.Flush(b)
	if w.Err() != errFull || w.End(0) != errFull {
		t.Errorf("%v, want %v", w.Err(), errFull)
	}
}

// timesIn returns the cells of a file of times.
func timesIn(t *testing.T, file []byte) (cells []format.TimeCell) {
	t.Helper()
	s := format.NewTimesScanner(bytes.NewReader(file))
	for s.Next() {
		cells = append(cells, s.Cell())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return cells
}

// TestResumeTimes: another writer goes on with the times in the version in which they were begun.
func TestResumeTimes(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		var files written
		w := NewWriter(format.V27, files.output(), time.Unix(1, 0))
		b := &Block{Thread: 0}
		more := func(w *Writer, event int32) {
			start := b.Header(w.Version().AppendCall(b.Bytes(), -1, b.Thread, event, 0, 0, nil))
			f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
			data, err := f.Append(b.Bytes(), w.Version(), format.ClassCall)
			if err != nil {
				t.Fatal(err)
			}
			b.Footer(data, start, format.TimeCell{ID: event, Start: 10 * int64(event), Duration: 7})
			b.Touch(10 * int64(event))
			w.Flush(b)
		}
		more(w, 1)
		if err := w.Stop(); err != nil {
			t.Fatal(err)
		}
		at := w.Sizes()
		if fixed {
			first := timesIn(t, files.times.Bytes())
			files.times.Truncate(format.TimesHeaderSize)
			binary.BigEndian.PutUint64(files.times.Bytes()[8:], 1)
			for _, c := range first {
				files.times.Write(c.Append(nil))
			}
			at.Times = int64(files.times.Len())
		}
		to := files.output()
		to.Times = struct {
			io.Writer
			io.ReaderAt
		}{&files.times, bytes.NewReader(bytes.Clone(files.times.Bytes()))}
		w = ResumeWriter(format.V27, to, at, time.Unix(1, 0))
		more(w, 2)
		if err := w.End(99); err != nil {
			t.Fatal(err)
		}
		var ids []int32
		for _, c := range timesIn(t, files.times.Bytes()) {
			ids = append(ids, c.ID)
		}
		if !slices.Equal(ids, []int32{0, 1, 0, 2, -1}) || int64(files.times.Len()) != w.Sizes().Times {
			t.Errorf("fixed %v: times of %v, %d bytes of %d", fixed, ids, files.times.Len(), w.Sizes().Times)
		}
		if _, still, _ := format.DecodeTimesHeader(files.times.Bytes()); still != fixed {
			t.Errorf("of version 1: %v, want %v", still, fixed)
		}
	}
}

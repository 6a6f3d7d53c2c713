package tracefile

import (
	"bytes"
	"errors"
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
	if want := format.TimesHeaderSize + (int(n)+1)*format.TimeCellSize; w.times.Len() != want {
		t.Errorf("%d bytes of times, want %d for %d cells", w.times.Len(), want, n)
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
		times := files.times.Bytes()
		if got := format.DecodeTimeCell(times[len(times)-format.TimeCellSize:]).Start; got != c.want {
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
			tc := format.DecodeTimeCell(files.times.Bytes()[format.TimeCellOffset(int64(at)):])
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

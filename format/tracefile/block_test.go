package tracefile

import (
	"bytes"
	"testing"
	"time"

	"tracex/format"
)

// TestReplaceParts replaces the results of calls, whose children and what follows them move.
func TestReplaceParts(t *testing.T) {
	const v = format.V27
	var w written
	out := NewWriter(v, w.output(), time.Unix(0, 0))
	b := &Block{Thread: 1}
	header := func(event int32) int64 {
		return b.Header(v.AppendCall(b.Bytes(), -1, b.Thread, event, 0, 0, nil))
	}
	footer := func(event int32, start int64, result format.Value) (at int) {
		t.Helper()
		at = len(b.Bytes()) + format.CallResultAt
		f := format.Footer{Result: result}
		data, err := f.Append(b.Bytes(), v, format.ClassCall)
		if err != nil {
			t.Fatal(err)
		}
		b.Footer(data, start, format.TimeCell{ID: event})
		return at
	}
	void, text := format.Value{Kind: format.ValueVoid}, format.Value{Kind: format.ValueString, Text: "a result"}
	value, err := v.AppendValue(nil, &text)
	if err != nil {
		t.Fatal(err)
	}
	outer := header(0) // in a block of its own
	out.Flush(b)
	before := b.Next()
	first := footer(1, header(1), void)
	open := header(2)
	second := footer(3, header(3), void)
	last := header(4)
	moved := b.Replace([]Replacement{{first, 1, value}, {second, 1, value}})
	more := int64(len(value) - 1)
	for offset, want := range map[int64]int64{outer: outer, before: before, open: open + more, last: last + 2*more} {
		if got := moved(offset); got != want {
			t.Errorf("what was at %d is at %d, want %d", offset, got, want)
		}
	}
	footer(4, moved(last), void)
	footer(2, moved(open), text)
	footer(0, moved(outer), void)
	out.EndThread(b)
	if err := out.End(1); err != nil {
		t.Fatal(err)
	}
	// Each index cell gives the content of its container: from its header to its footer.
	stream := logical(t, w.data.Bytes())
	n, err := format.CheckIndexTail(w.index.Bytes(), int64(w.index.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range int(n) {
		c := format.DecodeCell(w.index.Bytes()[format.HeaderSize+i*format.CellSize:])
		if c.Kind != format.KindTracePoint {
			continue
		}
		head := v.AppendCall(nil, -1, 1, c.ID, 0, 0, nil)
		if !bytes.HasSuffix(stream[:c.Start], head) {
			t.Errorf("event %d: content from %d on, no header is before that", c.ID, c.Start)
		}
		var f format.Footer
		if _, err := v.DecodeFooter(stream[c.End:], format.ClassCall, &f); err != nil {
			t.Errorf("event %d: %v", c.ID, err)
		}
		if replaced := c.ID == 1 || c.ID == 3; (f.Result.Text == text.Text) != (replaced || c.ID == 2) {
			t.Errorf("event %d: result %+v", c.ID, f.Result)
		}
	}
}

// logical returns the contents of the blocks, joined: there is one thread.
func logical(t *testing.T, data []byte) (stream []byte) {
	t.Helper()
	s := format.NewBytesScanner(data)
	for s.Next() {
		if k := s.Object().Kind; k != format.KindBlockStart && k != format.KindBlockEnd && k != format.KindEOF {
			stream = append(stream, s.Object().Bytes...)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return stream
}

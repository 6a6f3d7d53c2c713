package tracefile

import (
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"tracex/format"
)

// ordered notes what is written to three files, in the order of the calls.
type ordered struct{ all []writtenTo }

type writtenTo struct {
	file string
	size int
}

type orderedFile struct {
	name string
	o    *ordered
	w    io.Writer
	err  error
}

func (f *orderedFile) Write(b []byte) (int, error) {
	f.o.all = append(f.o.all, writtenTo{f.name, len(b)})
	if f.err != nil {
		return 0, f.err
	}
	return f.w.Write(b)
}

// blocks writes blocks of many sizes at random, some larger than what is buffered.
func blocks(t *testing.T, w *Writer) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	b := &Block{}
	event := int32(0)
	for range 100 {
		for n := random.IntN(1 << random.IntN(14)); n >= 0; n-- {
			start := b.Header(w.Version().AppendCall(b.Bytes(), -1, b.Thread, event, 0, 0, nil))
			f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
			data, err := f.Append(b.Bytes(), w.Version(), format.ClassCall)
			if err != nil {
				t.Fatal(err)
			}
			b.Footer(data, start, format.TimeCell{ID: event, Start: int64(event), Duration: 1})
			event++
		}
		w.Flush(b)
	}
}

// TestBehind: the files, and the order of the writes to them, are those without it.
func TestBehind(t *testing.T) {
	var written [2]written
	var orders [2]ordered
	for i := range written {
		o, to := &orders[i], written[i].output()
		w := NewWriter(format.V27, Files{&orderedFile{"data", o, to.Data, nil}, &orderedFile{"index", o, to.Index, nil}, &orderedFile{"times", o, to.Times, nil}}, time.Unix(0, 0))
		if i == 1 {
			w.Behind()
		}
		blocks(t, w)
		if err := w.Stop(); err != nil {
			t.Fatal(err)
		}
		if s := w.Sizes(); s != (Sizes{int64(written[i].data.Len()), int64(written[i].index.Len()), int64(written[i].times.Len())}) {
			t.Fatalf("stopped, it has written %d, %d and %d bytes of %+v", written[i].data.Len(), written[i].index.Len(), written[i].times.Len(), s)
		}
		blocks(t, w)
		if err := w.End(9); err != nil {
			t.Fatal(err)
		}
	}
	if written[0].data.String() != written[1].data.String() || written[0].index.String() != written[1].index.String() || written[0].times.String() != written[1].times.String() {
		t.Error("the files differ")
	}
	if len(orders[0].all) < 30 || len(orders[0].all) != len(orders[1].all) {
		t.Fatalf("%d writes, and %d", len(orders[0].all), len(orders[1].all))
	}
	for i, want := range orders[0].all {
		if orders[1].all[i] != want {
			t.Fatalf("write %d is %+v, expected %+v", i, orders[1].all[i], want)
		}
	}
}

// TestBehindFails: an error is told, and ends the writing to that file.
func TestBehindFails(t *testing.T) {
	var o ordered
	index := &orderedFile{"index", &o, nil, errFull}
	w := NewWriter(format.V27, Files{Data: io.Discard, Index: index}, time.Unix(0, 0))
	w.Behind()
	blocks(t, w)
	if err := w.End(1); err != errFull || w.Err() != errFull {
		t.Errorf("the errors are %v and %v", err, w.Err())
	}
	if len(o.all) != 1 {
		t.Errorf("it was written to %d times", len(o.all))
	}
}

package readback

import (
	"bytes"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
)

// written writes a trace with a call of each kind.
func written(t *testing.T) (data, index, times []byte) {
	t.Helper()
	var d, i, m bytes.Buffer
	w := calltrace.New(tracefile.Files{Data: &d, Index: &i, Times: &m}, calltrace.Options{})
	defer w.Discard()
	th := w.Thread("one")
	three := calltrace.Int(3)
	steps := []error{
		th.Begin(10, &calltrace.Call{Method: w.Method("shop.Order", "pay"), Place: w.Place("order.go", "shop.main", 7, []string{"sum", ""}),
			Args: []format.Value{calltrace.Int(1), calltrace.String("x")}}),
		th.Set("left", &three),
		th.Begin(20, &calltrace.Call{Method: w.Method("", "plain")}),
		th.End(25, &calltrace.End{Threw: "Broke"}),
		th.End(40, &calltrace.End{Result: &three}),
		th.Begin(50, &calltrace.Call{Method: w.Method("", "open")}),
		th.Close(60),
	}
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d.Bytes(), i.Bytes(), m.Bytes()
}

func TestRead(t *testing.T) {
	got, err := Read(written(t))
	if err != nil {
		t.Fatal(err)
	}
	th := got.Thread("one")
	if th == nil || len(got.Threads) != 1 || got.Thread("two") != nil {
		t.Fatalf("threads: %+v", got.Threads)
	}
	const want = "shop.Order.pay(sum ➜ 1, \"x\"): 3\n  left = 3\n  plain(): threw Broke\nopen(): unfinished\n"
	if text := th.String(); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	pay := th.Roots[0]
	if pay.Place != "order.go:7" || pay.Function != "shop.main" || pay.Start != 10 || pay.Dur != 30 || pay.Arg("sum") != "1" || pay.Arg("rest") != "" {
		t.Errorf("got %+v", pay)
	}
}

// TestReadDamaged reads traces that are not whole.
func TestReadDamaged(t *testing.T) {
	data, index, times := written(t)
	for what, read := range map[string]func() (*Trace, error){
		"data":           func() (*Trace, error) { return Read(data[:len(data)-1], index, times) },
		"index":          func() (*Trace, error) { return Read(data, index[:len(index)-format.CellSize], times) },
		"times":          func() (*Trace, error) { return Read(data, index, times[:len(times)-1]) },
		"times of calls": func() (*Trace, error) { return Read(data, index, append(bytes.Clone(times), times...)) },
	} {
		if _, err := read(); err == nil {
			t.Errorf("a trace with damaged %s is read", what)
		}
	}
}

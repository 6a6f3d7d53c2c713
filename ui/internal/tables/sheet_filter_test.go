package tables

import (
	"context"
	"testing"

	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
)

// forgetful is rows of which only some thousand are known at once.
type forgetful struct {
	numbered
	known map[int]bool
}

func (f *forgetful) Row(i int) []table.Value {
	if !f.known[i] {
		return nil
	}
	return f.numbered.Row(i)
}

func (f *forgetful) Load(_ context.Context, from, to int) error {
	if len(f.known) > 4000 {
		clear(f.known)
	}
	for i := from; i < to; i++ {
		f.known[i] = true
	}
	return nil
}

// TestFilterForgets: rows on the screen that are no longer known when a filter has looked at all come back.
func TestFilterForgets(t *testing.T) {
	_, of := numbers(500_000)
	of.Rows = &forgetful{numbered: numbered{n: 500_000}, known: make(map[int]bool)}
	s := show(t, static(of))
	s.keys("/ d 1 1")
	s.has("method11(…)", "method110(…)", "method1100(…)")
}

// TestFilter: a filter finds rows that are not on the screen, anywhere in the table.
func TestFilter(t *testing.T) {
	_, of := numbers(200_000)
	s := show(t, static(of))
	s.keys("/ 9 9 9 9 (")
	s.has(" 20 of 200,000 ", "/9999(_", "method199999(…)", "method9999(…)")
	s.keys("enter G")
	if _, row := s.Row(); row != 199_999 {
		t.Errorf("row %d", row)
	}
	s.keys("esc")
	s.has("row 200,000 of 200,000")
	s.keys("/ n o s u c h")
	s.has(" 0 of 200,000 ", "no row contains nosuch")
	if what := s.keys("esc q"); what.Kind != prompt.Closed {
		t.Errorf("%+v", what)
	}
}

// TestFilterStops: Esc stops a filter, and the sheet tells that it has not looked at all rows.
func TestFilterStops(t *testing.T) {
	_, of := numbers(200_000)
	s := show(t, static(of))
	s.HandleKey(keys.Press("/"))
	s.HandleKey(keys.Press("5"))
	s.HandleKey(keys.Press("enter"))
	s.env.Patience = 0
	s.env.Start()
	work := s.Settle(height)
	if work == nil {
		t.Fatal("nothing is filtered")
	}
	s.HandleKey(keys.Press("esc"))
	work().(env.Ran).Then()
	if again := s.Settle(height); again != nil || s.Busy() {
		t.Error("it goes on")
	}
	s.has("stopped: not all rows were looked at")
}

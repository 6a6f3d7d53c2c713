package perfetto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
)

// TestOpenCallsMark opens and closes containers at random: a copy that gets only what
// mark returns has the same containers.
func TestOpenCallsMark(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var o, copied openCalls
	for event := range int32(20_000) {
		switch n := random.IntN(5); {
		case n < 2 && o.depth() < 20:
			o.push(openCall{class: format.ClassLoop, event: event, at: int64(event)})
		case n == 2 && o.depth() > 0:
			o.pop()
		case n == 3:
			o.iterate(random.Int32N(100))
		case n == 4:
			around, changed := o.mark()
			if !copied.restore(around, changed) || !slices.Equal(o.calls, copied.calls) {
				t.Fatalf("after %d changes the copy has %v, want %v", event, copied.calls, o.calls)
			}
			if around, changed := o.mark(); around != o.depth() || len(changed) > 0 {
				t.Fatalf("without a change %d containers have changed", len(changed))
			}
		}
	}
	if copied.restore(copied.depth()+1, nil) || copied.restore(-1, nil) {
		t.Error("containers that it does not have are restored")
	}
}

// TestOpenCallsIterate counts the iterations of a loop: the largest number is one less.
func TestOpenCallsIterate(t *testing.T) {
	var o openCalls
	o.iterate(3) // no loop is open
	o.push(openCall{class: format.ClassLoop})
	for _, step := range []struct{ number, want int32 }{{0, 1}, {4, 5}, {2, 5}, {math.MaxInt32, 5}} {
		if o.iterate(step.number); o.inner().iterations != step.want {
			t.Errorf("after iteration %d the loop has %d, want %d", step.number, o.inner().iterations, step.want)
		}
	}
}

// TestPartOrder takes parts out of order.
func TestPartOrder(t *testing.T) {
	var o partOrder
	for _, step := range []struct {
		number            uint64
		repeated, missing bool
	}{{0, false, false}, {1, false, false}, {1, true, false}, {3, false, true}, {2, true, false}, {4, false, false}} {
		if repeated, missing := o.take(step.number); repeated != step.repeated || missing != step.missing {
			t.Errorf("part %d: repeated %v, missing %v", step.number, repeated, missing)
		}
	}
}

package ui

import (
	"testing"

	"tracex/ui/internal/uitest"
)

// TestLostFilter: a filter without matches tells what no captured value has, and the nearest name that there is.
func TestLostFilter(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "allkinds.v27.dump"), 100, 20, Options{})
	d.keys("&").typed("ret.dep=1").keys("enter").has("no matches: no call has ret.dep; the nearest: ret.deep")
	d.keys("&").typed("").keys("ctrl+u").typed("ret.deep=1").keys("enter")
	if text := message(d); text != "no matches" {
		t.Errorf("%q", text)
	}
}

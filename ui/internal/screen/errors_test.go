package screen

import (
	"errors"
	"fmt"
	"testing"

	"tracex/format"
)

// TestErrorLine: an error takes one line, and does not name the file, which the screen already does.
func TestErrorLine(t *testing.T) {
	err := fmt.Errorf("reading: %w", &format.Error{File: "/some/trace.bin", Offset: 7, Expected: "a block", Found: "a\nhole", Hint: "try\nagain", Err: errors.New("damaged")})
	fact := "offset 7: damaged: expected a block, found a hole"
	if got := ErrorFact(err); got != fact {
		t.Errorf("%q", got)
	}
	if got := ErrorLine(err); got != fact+"; try again" {
		t.Errorf("%q", got)
	}
	if got := ErrorLine(errors.New("two\n  lines")); got != "two lines" {
		t.Errorf("%q", got)
	}
}

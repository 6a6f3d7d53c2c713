package cli

import (
	"fmt"
	"testing"

	"tracex/format"
)

// TestHints: each row of the table is found, however its error is wrapped.
func TestHints(t *testing.T) {
	for _, row := range hints {
		for _, err := range []error{row.err, fmt.Errorf("a file: %w", row.err), &format.Error{Offset: -1, Err: row.err}} {
			if got := hintOf(err); got != row.hint {
				t.Errorf("%v (%T): hint %q, want %q", err, err, got, row.hint)
			}
		}
	}
}

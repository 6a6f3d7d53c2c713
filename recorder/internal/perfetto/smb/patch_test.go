package smb

import "testing"

// TestPatch applies patches at the ends of a payload, and of wrong lengths.
func TestPatch(t *testing.T) {
	payload := make([]byte, 8)
	for _, test := range []struct {
		offset uint32
		n      int
		ok     bool
	}{{0, 4, true}, {4, 4, true}, {5, 4, false}, {8, 4, false}, {1<<32 - 1, 4, false}, {1<<32 - 4, 4, false}, {0, 3, false}, {0, 5, false}, {0, 0, false}} {
		if err := Patch(payload, test.offset, make([]byte, test.n)); (err == nil) != test.ok {
			t.Errorf("patch of %d bytes at %d: %v", test.n, test.offset, err)
		}
	}
}

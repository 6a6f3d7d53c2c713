package registry

import "testing"

// A registry distinguishes its numbers from those of earlier ones, up to 32,767 of them.
func TestTags(t *testing.T) {
	seen := map[uint32]bool{}
	for range lastTag {
		tag := nextTag()
		if tag == 0 || tag&ArityMask != 0 || int32(tag) < 0 || seen[tag] {
			t.Fatalf("tag %#x", tag)
		}
		seen[tag] = true
	}
}

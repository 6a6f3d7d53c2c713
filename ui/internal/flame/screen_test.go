package flame

import (
	"testing"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
)

// TestKeysBeforeTheFlame: while the flame is still being read, its keys do nothing and keep none from the program.
func TestKeysBeforeTheFlame(t *testing.T) {
	s := &Screen{flame: &Flame{}}
	for _, key := range []string{"ctrl+t", "T", "(", "o"} {
		if got := s.HandleKey(keys.Press(key)); got.Kind != prompt.Unbound {
			t.Errorf("%s: %+v", key, got)
		}
	}
}

package keys

import (
	"testing"

	"tracex/ui/internal/screen"
)

func TestKeyName(t *testing.T) {
	for _, c := range []struct{ key, want, ascii string }{
		{"up", "↑", "Up"}, {"pgdown", "PgDn", "PgDn"}, {"ctrl+r", "Ctrl-R", "Ctrl-R"}, {"x", "x", "x"}, {"G", "G", "G"},
	} {
		if got := KeyName(c.key, &screen.Unicode); got != c.want {
			t.Errorf("%s is %q", c.key, got)
		}
		if got := KeyName(c.key, &screen.ASCII); got != c.ascii {
			t.Errorf("in ASCII %s is %q", c.key, got)
		}
	}
}

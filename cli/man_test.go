package cli

import (
	"strings"
	"testing"

	"tracex/ui"
)

// TestManKeys: the man page has each line of the explorer's key map, and nothing in
// it that roff takes for a command.
func TestManKeys(t *testing.T) {
	section, keys := manKeys(), ui.Keys()
	if len(keys) < 40 {
		t.Fatalf("there are %d keys", len(keys))
	}
	for _, k := range keys {
		if want := "\\fB" + manText(k.Names) + "\\fP\n" + manText(k.Does) + "\n"; !strings.Contains(section, want) {
			t.Errorf("the man page does not have %q", want)
		}
	}
	for line := range strings.Lines(section) {
		command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if (line[0] == '.' || line[0] == '\'') && command != ".SH" && command != ".SS" && command != ".TP" {
			t.Errorf("roff takes this for a command: %q", line)
		}
	}
	if got, want := manText(`a\b .x 'y' --z`), `a\eb \&.x \(aqy\(aq \-\-z`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

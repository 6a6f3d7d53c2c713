package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"tracex/ui"
)

// TestManPage: the man page has each line of the explorer's key map and each flag of
// each command, and no line that roff takes for an unknown request.
func TestManPage(t *testing.T) {
	root := newRoot(&app{}, allCommands)
	page, keys := manPage(root), ui.Keys()
	if len(keys) < 40 {
		t.Fatalf("there are %d keys", len(keys))
	}
	for _, k := range keys {
		if want := "\\fB" + manText(k.Names) + "\\fP\n" + manText(k.Does) + "\n"; !strings.Contains(page, want) {
			t.Errorf("the man page does not have %q", want)
		}
	}
	for _, c := range commands(new(app), allCommands) {
		_, section, _ := strings.Cut(page, "\n.SS "+c.Name())
		section, _, _ = strings.Cut(section, "\n.SS ")
		if !strings.Contains(section, manText(c.Example[:10])) {
			t.Errorf("%s: no examples in %q", c.Name(), section)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(section, "\\fB\\-\\-"+manText(f.Name)+"\\fP") {
				t.Errorf("%s: the flag %s is missing in %q", c.Name(), f.Name, section)
			}
		})
	}
	requests := []string{".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".RS", ".RE"}
	for line := range strings.Lines(page) {
		request, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if (line[0] == '.' || line[0] == '\'') && !slices.Contains(requests, request) {
			t.Errorf("roff takes this for a request: %q", line)
		}
	}
	if got, want := manText(`a\b .x 'y' --z`), `a\eb \&.x \(aqy\(aq \-\-z`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

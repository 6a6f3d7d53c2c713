package details

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// TestWrap: a long text is broken after a blank, or else between the parts of a name, and inside a part only if that is
// longer than a line.
func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"Statement.executeUpdate()":       {"Statement.", "executeUpdate()"},
		"of org.h2.Driver.connect":        {"of org.h2.Driver.", "connect"},
		"the statement of executeUpdate":  {"the statement of ", "executeUpdate"},
		"a/long/path/to/Statement.java":   {"a/long/path/to/", "Statement.java"},
		"anIdentifierOfMoreThan20Letters": {"anIdentifierOfMoreTh", "an20Letters"},
	} {
		s := sheet{width: 21, g: &screen.Unicode}
		s.wrap("", 0, text, screen.Whole(text), screen.Always(theme.Plain))
		var got []string
		for i, line := range s.lines {
			got = append(got, strings.TrimRight(ansi.Strip(line), " "))
			want[i] = strings.TrimRight(want[i], " ")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSection: a section without lines is left out, and in a low pane each title.
func TestSection(t *testing.T) {
	for dense, want := range map[bool]string{false: "─ two ────\na\n─ three ──\nb", true: "a\nb"} {
		s := sheet{width: 10, g: &screen.Unicode, dense: dense}
		s.section("one")
		s.section("two")
		s.title("a")
		s.section("")
		s.section("three")
		s.title("b")
		var got []string
		for _, line := range s.lines {
			got = append(got, strings.TrimRight(ansi.Strip(line), " "))
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

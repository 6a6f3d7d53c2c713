package prompt

import (
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestKeys presses keys in a prompt, and checks the last action and the text.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		keys string
		last Action
		want Text
	}{
		{"a", Changed, Text{"a", false}},
		{"a left", None, Text{"a", false}},
		{"a backspace", Changed, Text{"", false}},
		{"a backspace backspace", Left, Text{"", false}},
		{"a esc", Left, Text{"a", false}},
		{"ctrl+c", Left, Text{"", false}},
		{"a enter", Taken, Text{"a", false}},
		{"a ctrl+r", Changed, Text{"a", true}},
		{"a ctrl+r ctrl+r", Changed, Text{"a", false}},
		{"a up", None, Text{"a", false}},
		{"a down", None, Text{"a", false}},
	} {
		p := History{}.OpenPattern("/", "")
		var last Action
		for _, k := range strings.Fields(c.keys) {
			last = p.HandleKey(uitest.Press(k))
		}
		if last != c.last || p.Text() != c.want {
			t.Errorf("%s: action %d and %+v, expected %d and %+v", c.keys, last, p.Text(), c.last, c.want)
		}
	}
	p := History{}.Open(":", "")
	if p.HandleKey(uitest.Press("ctrl+r")) != None || p.Text().Expr {
		t.Error("what is no pattern is read as an expression")
	}
	if p.Paste(tea.PasteMsg{Content: "5\n0"}) != Changed || p.Text().Text != "5 0" {
		t.Errorf("pasted: %q", p.Text().Text)
	}
}

// TestMemory: up and down recall texts typed into prompts of the same label; the current text
// is not lost, and the history is bounded.
func TestMemory(t *testing.T) {
	var m History
	typed := func(label, text string) *Prompt {
		p := m.Open(label, "")
		p.Paste(tea.PasteMsg{Content: text})
		return p
	}
	for _, text := range []string{"ab", "cd", "ab", "  "} {
		m.Keep(typed("/", text))
	}
	m.Keep(typed(":", "5"))
	p := typed("/", "x")
	for _, c := range [][2]string{{"up", "ab"}, {"up", "cd"}, {"up", "cd"}, {"down", "ab"}, {"down", "x"}, {"down", "x"}} {
		if p.HandleKey(uitest.Press(c[0])); p.Text().Text != c[1] {
			t.Errorf("after %s: %q, expected %q", c[0], p.Text().Text, c[1])
		}
	}
	for i := range 3 * maxKept {
		m.Keep(typed("/", strconv.Itoa(i)))
	}
	if n := len(m["/"]); n != maxKept || m["/"][n-1].Text != strconv.Itoa(3*maxKept-1) {
		t.Errorf("%d are kept, the newest %+v", n, m["/"][n-1])
	}
}

func TestView(t *testing.T) {
	for _, c := range []struct{ typed, message, want string }{
		{"", "", "/ find                  Ctrl-R regex "},
		{"abc", "", "/abc                    Ctrl-R regex "},
		{"abc", "odd", "/abc   odd              Ctrl-R regex "},
		{"what is typed is long", "and wrong", "/what is typed is long   and wrong   "},
	} {
		p := History{}.OpenPattern("/", "find")
		p.Paste(tea.PasteMsg{Content: c.typed})
		if got := ansi.Strip(p.View(37, c.message, screen.Faint, &screen.Unicode)); got != c.want {
			t.Errorf("%q: %q, expected %q", c.typed, got, c.want)
		}
		if at := p.Column(37, &screen.Unicode); at != 1+len(c.typed) {
			t.Errorf("%q: the cursor is in column %d", c.typed, at)
		}
	}
	// The end of a long text is shown, with the cursor.
	p := History{}.Open(":", "")
	p.Paste(tea.PasteMsg{Content: strings.Repeat("0123456789", 9)})
	if got := ansi.Strip(p.View(20, "", screen.Faint, &screen.Unicode)); !strings.HasPrefix(got, ":34567890123456789") {
		t.Errorf("%q", got)
	}
	if at := p.Column(20, &screen.Unicode); at != 18 {
		t.Errorf("the cursor is in column %d", at)
	}
}

package env

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

func newFront() (*Front, *Env) {
	e := &Env{Glyphs: &screen.Unicode}
	e.Front.env = e
	f := &e.Front
	return f, e
}

func press(t *testing.T, f *Front, names string) {
	t.Helper()
	for _, k := range strings.Fields(names) {
		if _, handled := f.HandleKey(keys.Press(k)); !handled {
			t.Fatalf("%s goes to the tree", k)
		}
	}
}

// TestQuestion: a prompt reports each change, keeps a text that is refused, and closes with
// one that is accepted.
func TestQuestion(t *testing.T) {
	f, e := newFront()
	var typed, submitted []string
	canceled := false
	ask := func() {
		f.Ask(&Question{
			Prompt: f.Typed.Open(":", "a hint"),
			Typed:  func(t prompt.Text) tea.Cmd { typed = append(typed, t.Text); return nil },
			Refuse: func(t prompt.Text) string {
				if t.Text == "a" {
					return "too short"
				}
				return ""
			},
			Submit: func(t prompt.Text) tea.Cmd { submitted = append(submitted, t.Text); return nil },
			Cancel: func() { canceled = true },
		})
	}
	if _, handled := f.HandleKey(keys.Press("j")); handled {
		t.Error("a key is taken while nothing is open")
	}
	ask()
	press(t, f, "a enter")
	if text, alarm := e.Status.Message(); text != "too short" || !alarm || f.Prompt() == nil {
		t.Errorf("%q, alarm %v", text, alarm)
	}
	if line := ansi.Strip(f.PromptView(40)); !strings.Contains(line, "too short") {
		t.Errorf("%q", line)
	}
	press(t, f, "b enter")
	if f.Prompt() != nil || strings.Join(typed, " ") != "a ab" || strings.Join(submitted, " ") != "ab" {
		t.Errorf("typed %q, submitted %q", typed, submitted)
	}
	ask()
	press(t, f, "up")
	if f.Prompt().Text().Text != "ab" {
		t.Error("the text typed before is forgotten")
	}
	if cmd, _ := f.HandleKey(keys.Press("ctrl+v")); cmd == nil {
		t.Error("Ctrl-V does not ask for the text of the clipboard")
	}
	if press(t, f, "esc"); !canceled || f.Prompt() != nil {
		t.Error("it cannot be given up")
	}
}

// TestList: a list takes the keys until it is closed, or a line is chosen.
func TestList(t *testing.T) {
	f, _ := newFront()
	chosen := -1
	show := func() {
		f.Show(&prompt.List{Len: func() int { return 3 }, Item: func(int) prompt.Item { return prompt.Item{} }, Choosable: true},
			func(i int) tea.Cmd { chosen = i; return nil })
	}
	show()
	press(t, f, "esc")
	if f.List() != nil || chosen >= 0 {
		t.Errorf("Esc chooses %d", chosen)
	}
	show()
	press(t, f, "j enter")
	if f.List() != nil || chosen != 1 {
		t.Errorf("Enter chooses %d", chosen)
	}
}

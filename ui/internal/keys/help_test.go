package keys

import (
	"strings"
	"testing"

	"tracex/ui/internal/screen"
)

// TestHelpList: keys are below their headings, and the legend of the marks is last.
func TestHelpList(t *testing.T) {
	var got []string
	keys := []Line{{"Move", "j k", "up and down"}, {"Move", "g", "first"}, {"Other", "q", "quit"}}
	list := NewHelpList("keys", append(keys, Legend(&screen.Unicode)...), 99, &screen.Unicode)
	for i := range list.Len() {
		it := list.Item(i)
		text := strings.TrimSpace(it.Text())
		if it.Head && text != "" {
			text = "# " + text
		}
		got = append(got, text)
	}
	all := strings.Join(got, "|")
	if want := "# Move|j   k   up and down|g   first||# Other|q   quit||# Numbers and mouse|A number before a key "; !strings.HasPrefix(all, want) {
		t.Errorf("%s", all)
	}
	if !strings.Contains(all, "# Marks|▾ ") {
		t.Errorf("%s", all)
	}
}

// TestHints: the least useful hints are dropped first, those with rank 0 last.
func TestHints(t *testing.T) {
	for width, want := range map[int]string{80: "j down   / find   q quit", 20: "/ find   q quit", 6: "q quit", 5: ""} {
		if got := HintsText(Hints([]Hint{{"j down", 2, Down}, {"/ find", 1, Search}, {"q quit", 0, Quit}}, width, &screen.Unicode)); got != want {
			t.Errorf("%d cells: %q, want %q", width, got, want)
		}
	}
}

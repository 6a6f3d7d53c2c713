package prompt

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
)

// numbers returns a list of n lines to choose from, "line 0" and so on.
func numbers(n int) *List {
	return &List{
		Title: display.Plural(int64(n), "line"), Keys: "Enter goes there", Choosable: true,
		Len:  func() int { return n },
		Item: func(i int) Item { return Item{Cells: []Cell{{Text: "line " + strconv.Itoa(i), At: 2}}} },
	}
}

// press presses keys, drawing in between, and returns the last action.
func press(l *List, keys string) (last ListAction) {
	for _, k := range strings.Fields(keys) {
		l.View(30, 11, &screen.Unicode)
		last = l.HandleKey(pressOf(k))
	}
	return last
}

// TestKeys presses keys in a list of a hundred lines on a screen of ten, and checks the action
// and the cursor.
func TestListKeys(t *testing.T) {
	for _, c := range []struct {
		keys string
		want ListAction
		at   int
	}{
		{"", ListAction{}, 0},
		{"j j k", ListAction{}, 1},
		{"up", ListAction{}, 0},
		{"G", ListAction{}, 99},
		{"G down g", ListAction{}, 0},
		{"pgdown ctrl+d", ListAction{}, 14},
		{"G pgup ctrl+u", ListAction{}, 85},
		{"j j enter", ListAction{Kind: Chosen, Index: 2}, 2},
		{"G space", ListAction{Kind: Chosen, Index: 99}, 99},
		{"q", ListAction{Kind: Closed}, 0},
		{"j esc", ListAction{Kind: Closed}, 1},
		{"/ 9", ListAction{}, 0},
		{"/ 9 enter j j enter", ListAction{Kind: Chosen, Index: 29}, 2},
		{"/ 9 down enter", ListAction{Kind: Chosen, Index: 19}, 1},
		{"/ 9 esc j enter", ListAction{Kind: Chosen, Index: 1}, 1},
		{"/ 9 enter esc", ListAction{}, 0},
		{"/ 9 enter esc esc", ListAction{Kind: Closed}, 0},
		{"/ x enter enter", ListAction{}, 0},
		{"/ 9 x backspace backspace enter G", ListAction{}, 99},
		{"/ [ 1 2 ] 5 ctrl+r enter j enter", ListAction{Kind: Chosen, Index: 25}, 1},
	} {
		l := numbers(100)
		if got := press(l, c.keys); got.Kind != c.want.Kind || got.Index != c.want.Index || l.Selected() != c.at {
			t.Errorf("%s: %+v at line %d, expected %+v at %d", c.keys, got, l.Selected(), c.want, c.at)
		}
	}
}

// TestHeadings: a heading cannot be chosen, and is shown with the lines that pass.
func TestHeadings(t *testing.T) {
	names := []string{"Fruit", "apple", "pear", "Trees", "apple tree", "oak"}
	l := &List{
		Title: "things", Choosable: true,
		Len:  func() int { return len(names) },
		Item: func(i int) Item { return Item{Head: i%3 == 0, Cells: []Cell{{Text: names[i]}}} },
	}
	if got := press(l, "enter"); got.Kind != NoAction {
		t.Errorf("a heading is chosen: %+v", got)
	}
	press(l, "/ o a k")
	if l.Count() != 2 {
		t.Errorf("%d lines pass", l.Count())
	}
	if got := press(l, "enter j enter"); got.Kind != Chosen || got.Index != 5 {
		t.Errorf("%+v", got)
	}
}

// TestView draws lists: the part that fits, depending on the cursor.
func TestListView(t *testing.T) {
	for _, c := range []struct {
		n    int
		keys string
		want string
	}{
		{2, "", "─ 2 lines ────────────|▌ line 0|  line 1|"},
		{9, "G", "─ 9 lines ─ 7-9 of 9 ─|  line 6|  line 7|▌ line 8"},
		{9, "/ 8 enter", "─ 9 lines /8 ─────────|▌ line 8||"},
		{9, "/ 8", "─ 9 lines /8_ ────────|▌ line 8||"},
		{9, "/ x", "─ 9 lines /x_ ────────|  no line contains x||"},
		{9, "/ [ ctrl+r", "─ 9 lines regex /[_ ──|  not a regular expressi…||"},
		{0, "", "─ 0 lines ────────────|  nothing here||"},
	} {
		l := numbers(c.n)
		press(l, c.keys)
		lines := l.View(25, 4, &screen.Unicode)
		for i, line := range lines {
			text := ansi.Strip(line)
			if w := ansi.StringWidth(text); w != 25 {
				t.Errorf("%q has %d cells", text, w)
			}
			lines[i] = strings.TrimRight(text, " ")
		}
		want := strings.Replace(c.want, " ─", " ────", 1)
		if got := strings.Join(lines, "|"); got != want {
			t.Errorf("%d lines, %s: %q, expected %q", c.n, c.keys, got, want)
		}
	}
}

// TestMany: drawing a list and moving in it makes only as many lines as the screen has.
func TestMany(t *testing.T) {
	l := numbers(1_000_000)
	made, line := 0, l.Item
	l.Item = func(i int) Item { made++; return line(i) }
	press(l, "j pgdown G k")
	if made > 4*11 {
		t.Errorf("%d lines were made", made)
	}
	if from, to := l.Visible(11); to != 1_000_000 || from != to-10 {
		t.Errorf("lines %d to %d are shown", from, to)
	}
}

// TestMoved: the cursor stays on its line when lines are inserted before it.
func TestMoved(t *testing.T) {
	n := 20
	l := numbers(0)
	l.Len = func() int { return n }
	press(l, "pgdown")
	at := l.Selected()
	n += 5
	l.Moved(0, 5)
	if l.Selected() != at+5 {
		t.Errorf("at %d, was at %d", l.Selected(), at)
	}
	l.Moved(l.Selected()+1, 3)
	if l.Selected() != at+5 {
		t.Error("what came after it has moved it")
	}
}

// TestHint: in a narrow window the way out is dropped last.
func TestHint(t *testing.T) {
	l := numbers(5)
	for width, want := range map[int]string{
		80: "↑ ↓ move   Enter goes there   / filter   Esc closes", 30: "/ filter   Esc closes", 5: "Esc closes",
	} {
		if got := l.Hint(width, &screen.Unicode); got != want {
			t.Errorf("%d cells: %q", width, got)
		}
	}
	press(l, "/")
	if got := l.Hint(80, &screen.Unicode); !strings.HasSuffix(got, "Esc clears it") {
		t.Errorf("%q", got)
	}
}

func ExampleItem() {
	it := Item{Whole: "a name that is cut", Cells: []Cell{{Text: "a na…"}, {Text: "12 ms", Aside: true}}}
	fmt.Printf("%q\n", it.Text())
	// Output: "a name that is cut a na… "
}

package keys

import (
	"fmt"
	"strings"
	"testing"

	"tracex/ui/internal/screen"
)

// some returns a few commands.
func some(more ...Command) *Map {
	return newMap(append([]Command{
		{Name: "sort", About: "sorts"},
		{Name: "top", Args: "[BY]", About: "methods"},
		{Name: "expand-level", Args: Number},
		{Name: "quit", Aliases: []string{"q", "exit"}},
		{Name: "copy-row"}, {Name: "copy-path"}, {Name: "collapse-all"},
	}, more...), nil, &screen.Unicode)
}

func TestParse(t *testing.T) {
	m := some()
	for line, want := range map[string]string{
		"sort": "sort()", " Sort ": "sort()", "q": "quit()", "exit": "quit()", "top": "top()", "top  class x ": "top(class x)", "expand-level 3": "expand-level(3)",
		"sort 3": ":sort takes no arguments", "expand-level x": "x is not a number", "tpo": "no command tpo; the nearest are top, ", "": "no command ; ",
	} {
		c, args, err := m.Parse(line)
		got := fmt.Sprint(err)
		if err == nil {
			got = string(c.Name) + "(" + args + ")"
		}
		if !strings.HasPrefix(got, want) || err == nil && got != want {
			t.Errorf("%q: %s, expected %s", line, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	m := some()
	for line, want := range map[string]string{
		"": "0 top ,sort,expand-level ,quit,copy-row,copy-path,collapse-all", "co": "0 copy-row,copy-path,collapse-all", " c": "1 copy-row,copy-path,collapse-all",
		"row": "0 copy-row", "ex": "0 expand-level ,quit", "e": "0 expand-level ,quit", "x": "0 ", "TOP": "0 top ",
		"top c": "4 top", "top class p": "4 top", " Top  ": "6 top", "sort x": "5 sort", "nothing x": "0 ",
	} {
		from, with := m.Complete(line)
		var texts []string
		for _, c := range with {
			texts = append(texts, c.Text)
		}
		if c, at := m.Arguments(line); c != nil {
			from, texts = at, append(texts, c.Typed())
		}
		if got := fmt.Sprint(from, " ", strings.Join(texts, ",")); got != want {
			t.Errorf("%q: %s, expected %s", line, got, want)
		}
	}
}

// TestNearest: the names most similar come first, also for a word that is not typed to its end.
func TestNearest(t *testing.T) {
	m := some()
	for word, want := range map[string]string{
		"sotr": "sort", "tpo": "top", "qiut": "quit", "colapse": "collapse-all", "copyrow": "copy-row", "expnd": "expand-level", "exti": "quit", "coll": "collapse-all", "cop": "copy-row",
	} {
		if got := m.nearest(word, 3); len(got) != 3 || got[0] != want {
			t.Errorf("%s: %v, expected %s", word, got, want)
		}
	}
}

package command

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/prompt"
)

// some returns a few commands. ran is the last one that ran, with its arguments.
func some(ran *string) *Registry {
	r := new(Registry)
	for _, c := range []Command{
		{Name: "sort", Help: "sorts"},
		{Name: "top", Args: "[BY]", Help: "methods", Complete: func(args string) (int, []prompt.Candidate) {
			var with []prompt.Candidate
			from := strings.LastIndexByte(args, ' ') + 1
			for _, by := range []string{"class", "package", "calls"} {
				if strings.HasPrefix(by, args[from:]) {
					with = append(with, prompt.Candidate{Text: by})
				}
			}
			return from, with
		}},
		{Name: "expand-level", Args: "[N]", Check: func(args string) error {
			if args != "" && args != "3" {
				return errors.New("not a depth")
			}
			return nil
		}},
		{Name: "quit", Aliases: []string{"q", "exit"}},
		{Name: "copy-row"}, {Name: "copy-path"}, {Name: "collapse-all"},
	} {
		c.Run = func(args string) tea.Cmd {
			*ran = c.Name + "(" + args + ")"
			return nil
		}
		r.Add(c)
	}
	return r
}

func TestParse(t *testing.T) {
	var ran string
	r := some(&ran)
	for line, want := range map[string]string{
		"sort": "sort()", " Sort ": "sort()", "q": "quit()", "exit": "quit()", "top": "top()", "top  class x ": "top(class x)", "expand-level 3": "expand-level(3)",
		"sort 3": ":sort takes no arguments", "expand-level 9": "not a depth", "tpo": "no command tpo; the nearest are top, ", "": "no command ; ",
	} {
		c, args, err := r.Parse(line)
		ran = ""
		if err == nil {
			c.Run(args)
		} else {
			ran = err.Error()
		}
		if !strings.HasPrefix(ran, want) || err == nil && ran != want {
			t.Errorf("%q: %s, expected %s", line, ran, want)
		}
	}
}

func TestComplete(t *testing.T) {
	r := some(new(string))
	for line, want := range map[string]string{
		"": "0 sort,top ,expand-level ,quit,copy-row,copy-path,collapse-all", "co": "0 copy-row,copy-path,collapse-all", " c": "1 copy-row,copy-path,collapse-all",
		"row": "0 copy-row", "ex": "0 expand-level ,quit", "e": "0 expand-level ,quit", "x": "0 ", "TOP": "0 top ",
		"top c": "4 class,calls", "top class p": "10 package", "top  ": "5 class,package,calls", "sort x": "0 ", "nothing x": "0 ",
	} {
		from, with := r.Complete(line)
		var texts []string
		for _, c := range with {
			texts = append(texts, c.Text)
		}
		if got := fmt.Sprint(from, " ", strings.Join(texts, ",")); got != want {
			t.Errorf("%q: %s, expected %s", line, got, want)
		}
	}
}

// TestNearest: the names most similar come first, also for a word that is not typed to its end.
func TestNearest(t *testing.T) {
	r := some(new(string))
	for word, want := range map[string]string{
		"sotr": "sort", "tpo": "top", "qiut": "quit", "colapse": "collapse-all", "copyrow": "copy-row", "expnd": "expand-level", "exti": "quit", "coll": "collapse-all", "cop": "copy-row",
	} {
		if got := r.Nearest(word, 3); len(got) != 3 || got[0] != want {
			t.Errorf("%s: %v, expected %s", word, got, want)
		}
	}
}

// TestAddTwice: a name that is taken is a bug.
func TestAddTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a name can be taken twice")
		}
	}()
	some(new(string)).Add(Command{Name: "exit"})
}

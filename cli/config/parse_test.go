package config

import (
	"fmt"
	"strings"
	"testing"
)

func list(f *File) string {
	var b strings.Builder
	for _, e := range f.Entries {
		fmt.Fprintf(&b, "%d %s = %v\n", e.Line, e.Key(), e.Value)
	}
	for _, fault := range f.Faults {
		fmt.Fprintln(&b, fault)
	}
	return b.String()
}

// TestParse: entries and faults have their lines, and a fault hides nothing else.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"only comments", "# a\n\n  # b", ""},
		{"tables", "a = 1\n[keys]\n# c\nsearch = [\"/\", 'f3']\nquit = []\n\n[open]\nmouse = false # d\n",
			"1 a = 1\n4 keys.search = [\"/\", \"f3\"]\n5 keys.quit = []\n8 open.mouse = false\n"},
		{"dots and braces", "keys.search = \"/\"\nopen = { mouse = true, memory = \"1G\" }\n",
			"1 keys.search = \"/\"\n2 open.mouse = true\n2 open.memory = \"1G\"\n"},
		{"over several lines", "[open]\nsource = [\n  \"a\", # first\n  \"b\",\n]\nraw = true",
			"2 open.source = [\"a\", \"b\"]\n6 open.raw = true\n"},
		{"escapes", `a = "\u00e9\"\\"` + "\nb = '\"'", "1 a = 'é\"\\'\n2 b = '\"'\n"},
		{"no quotes", "[open]\nmemory = 64MiB\nmouse = false",
			"3 open.mouse = false\nf:2: 64MiB needs quotes: memory = \"64MiB\"\n"},
		{"twice", "[open]\nraw = true\n[keys]\n[open]\nraw = false", "2 open.raw = true\nf:5: open.raw is set twice; line 2 counts\n"},
		{"a list of tables", "[[keys]]\nsearch = \"/\"", "2 keys.search = \"/\"\nf:1: [[keys]] is a list of tables; write [keys]\n"},
		{"not UTF-8", "a = 1\nb = \"\xff\"\nc = 2", "1 a = 1\n3 c = 2\nf:2: not UTF-8\n"},
		{"a date", "a = 2020-01-02", "1 a = 2020-01-02\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := list(Parse("f", []byte(c.text))); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestParseGoesOn: whatever is wrong in a line, the lines around it count.
func TestParseGoesOn(t *testing.T) {
	for _, wrong := range []string{"=", "x", "x =", "x = [1", "x = \"a", "[", "[a", "x = {", "x = 'a", "x y = 1", "x = 1 2", "\x00", "]", "é = 1", "x = \"\\q\""} {
		f := Parse("f", []byte("a = 1\n"+wrong+"\nb = 2\nc = 3\n"))
		if len(f.Faults) == 0 || f.Faults[0].Line != 2 {
			t.Errorf("%q: %v", wrong, f.Faults)
		}
		var names []string
		for _, e := range f.Entries {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, ""); got != "abc" || len(f.Faults) != 1 {
			t.Errorf("%q: %s, %v", wrong, got, f.Faults)
		}
	}
}

// FuzzParse: no text makes the parser panic or run forever, and what Quote writes is read again.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"[keys]\na = [\"b\"]", "x = {a = 1}", "[[a.b]]", "\"\"\"", "a.b.c = 'd'", "a=1\xff\n=", "[open]\nmemory = 64MiB # x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		file := Parse("f", []byte(text))
		for _, e := range file.Entries {
			if e.Line < 1 || e.Line > lines {
				t.Errorf("%s in line %d of %d", e.Key(), e.Line, lines)
			}
			if e.Value.Kind != Text {
				continue
			}
			again := Parse("f", []byte("a = "+Quote(e.Value.Text)+"\n"))
			if len(again.Faults) > 0 || len(again.Entries) != 1 || again.Entries[0].Value.Text != e.Value.Text {
				t.Errorf("%q is written as %s", e.Value.Text, Quote(e.Value.Text))
			}
		}
		for _, fault := range file.Faults {
			if fault.Line < 1 || fault.Line > lines {
				t.Errorf("%v, of %d lines", fault, lines)
			}
		}
	})
}

package ui

import (
	"slices"
	"testing"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// TestFindsDrawn: what rows draw in the place of characters finds these, with what
// is around them; the same text as it stands is found too.
func TestFindsDrawn(t *testing.T) {
	for _, c := range []struct {
		source, text string
		want         string // what is found; "": nothing
	}{
		{`\x1b[31m`, "a\x1b[31mred", "\x1b[31m"},
		{`a\x1b[31mRed`, "a\x1b[31mRed", "a\x1b[31mRed"},
		{`a\x1B[31mred`, "a\x1b[31mRED", ""},
		{`d\u200dx`, "red\u200dx", "d\u200dx"},
		{`D\u200dx`, "red\u200dx", ""},
		{`\u202e`, "a\u202eb", "\u202e"},
		{`\U0001f469`, "\U0001f469", "\U0001f469"},
		{`\xff`, "a\xffb", "\xff"},
		{`line\nnext`, "a line\nNEXT", "line\nNEXT"},
		{`C:\new`, `in C:\new\dir`, `C:\new`},
		{`\x1b`, `says \x1b`, `\x1b`},
		{`\x41`, "A", ""},
		{`\x4`, `\x4`, `\x4`},
		{`ä\u200d`, "Ä\u200d", "Ä\u200d"},
	} {
		p := newPattern(c.source, false)
		from, to := p.find([]byte(c.text))
		got := ""
		if from >= 0 {
			got = c.text[from:to]
		}
		if got != c.want {
			t.Errorf("%s finds %q in %q, want %q", c.source, got, c.text, c.want)
		}
	}
	// All that cells draw otherwise is found by what they draw.
	for _, r := range []rune{0, 7, '\t', '\n', '\r', 0x1b, 0x7f, 0x85, 0xad, 0x200b, 0x200c, 0x200d, 0x2028, 0x202e, 0xfeff, 0x1f3fb, 0xe0001} {
		drawn, _, n := screen.NextCell(string(r), false)
		if drawn == string(r) {
			continue
		}
		if from, to := newPattern(drawn, false).find([]byte("a" + string(r))); from != 1 || to != 1+n {
			t.Errorf("%s does not find %U", drawn, r)
		}
	}
	if newPattern(`a\x1b`, false).narrows(newPattern(`a\x1`, false)) {
		t.Error(`what \x1b finds is not among what \x1 does`)
	}
}

// TestFindsShown: what details and sources show of a call finds it, as far as it is
// more than the name of a package or of a file.
func TestFindsShown(t *testing.T) {
	r := recorded(t, "gson.dump")
	rows := allRows(t, r.Tree(true))
	hits := func(source string, expr bool) (list []lazy.Place) {
		p := newPattern(source, expr)
		err := r.Search(t.Context(), lazy.Search{Folded: true, Find: p.find, Limits: p.limits}, func(f lazy.Found) {
			for _, h := range f.Hits {
				list = append(list, h.Place)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	var calls, placed []lazy.Place // of one method; at one place
	place := ""
	for _, row := range rows {
		if row.Full == "com.google.gson.Gson.toJson" {
			calls = append(calls, row.place)
			place = row.Source
		}
	}
	for _, row := range rows {
		if row.Source == place {
			placed = append(placed, row.place)
		}
	}
	if len(calls) < 2 || len(placed) == 0 || place == "" {
		t.Fatalf("%d calls, %d at %s: the test shows nothing", len(calls), len(placed), place)
	}
	for source, want := range map[string][]lazy.Place{
		"com.google.gson.Gson.toJson": calls, "com.google.gson.Gson.toJson()": calls, "gson.Gson.toJson(": calls, place: placed,
	} {
		got := hits(source, false)
		for _, at := range want {
			if !slices.Contains(got, at) {
				t.Errorf("%s is not found at %+v", source, at)
			}
		}
		if source != place && len(got) != len(want) {
			t.Errorf("%s: %d hits, want %d", source, len(got), len(want))
		}
	}
	// The name of a package, or of a file, is no name of a call.
	if n := len(hits("google", false)); n > len(rows)/10 {
		t.Errorf("google: %d hits of %d rows", n, len(rows))
	}
	all := 0
	for _, row := range rows {
		if len(row.Full) > 4 && row.Full[:4] == "com." {
			all++
		}
	}
	if n := len(hits("com.google", false)); n < all {
		t.Errorf("com.google: %d hits, want %d at least", n, all)
	}
}

// TestLitFull: of a call that was found by its full name the method's name is lit.
func TestLitFull(t *testing.T) {
	named := lazy.Named{Text: []byte(`gson.toJson("a"): 1`), At: 5, Call: "Gson.toJson", Class: 4, Full: "org.Gson.toJson", FullClass: 8, Source: "Gson.java:7"}
	for source, want := range map[string]string{
		"org.gson.to": "to", "org.Gson": "toJson", "org.Gson.toJson(": "toJson(", `rg.Gson.toJson("a`: `toJson("a`, "Gson.toJ": "toJ", "Gson.java:7": "", "other": "",
	} {
		got := ""
		for _, at := range litName(&named, newPattern(source, false), len(named.Text)) {
			got += string(named.Text[at[0]:at[1]])
		}
		if got != want {
			t.Errorf("%s lights %q, want %q", source, got, want)
		}
	}
}

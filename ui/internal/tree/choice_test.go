package tree

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
)

// TestChoice: the tree has the columns that the user wants, in that order; the last ones are
// dropped first, and raw numbers have all digits. Titles stand over their columns.
func TestChoice(t *testing.T) {
	r := node(func(r *Row) {
		r.Count, r.Time.Duration, r.Whole = 1_234_567, 12_345_678, 60_000_000
		r.Nested, r.NestedExact, r.Time.Start = 654_321, true, 61_234_567_890
	})
	for _, c := range []struct {
		name   string
		choice Choice
		timed  bool
		width  int
		head   string
		row    string
	}{
		{"own", Choice{}, true, 90, "duration self share children", "12.3 ms 21 % 1,234,567"},
		{"two", Choice{Columns: []string{"share", "duration"}}, true, 90, "share duration", "21 % 12.3 ms"},
		{"two, narrow", Choice{Columns: []string{"share", "duration"}}, true, 50, "share", "21 %"},
		{"two, narrower", Choice{Columns: []string{"share", "duration"}}, true, 46, "", ""},
		{"none", Choice{Columns: []string{}}, true, 120, "", ""},
		{"raw", Choice{Raw: true}, true, 109, "duration ns self ns share", "12,345,678 21 %"},
		{"raw, narrow", Choice{Raw: true}, true, 60, "duration ns share", "12,345,678 21 %"},
		{"without times", Choice{}, false, 90, "nested children", "654,321 1,234,567"},
		{"without times, narrow", Choice{}, false, 60, "children", "1,234,567"},
		{"nested, with times", Choice{Columns: []string{"nested", "duration"}}, true, 90, "nested duration", "654,321 12.3 ms"},
		{"without times, with a bar", Choice{}, false, 110, "nested share children", "654,321 1,234,567"},
		{"wide", Choice{}, true, 140, "start s duration self share children", "61.234567 12.3 ms 21 % ━╸ 1,234,567"},
		{"without times, none", Choice{Columns: []string{"self"}}, false, 90, "", ""},
	} {
		v := &View{Glyphs: &screen.Unicode, Timed: c.timed, Choice: c.choice}
		head, row := ansi.Strip(v.Head(c.width)), ansi.Strip(v.Draw(r, Indent{0, 2, 0}, c.width))
		if n := ansi.StringWidth(head); n != c.width || ansi.StringWidth(row) != c.width {
			t.Errorf("%s: %d cells of titles, %d of a row", c.name, n, ansi.StringWidth(row))
		}
		titles := strings.Join(strings.Fields(strings.ReplaceAll(head, "─", " ")), " ")
		_, numbers, _ := strings.Cut(row, "): 2")
		numbers = strings.Join(strings.Fields(strings.ReplaceAll(numbers, "─", " ")), " ")
		if titles != c.head || numbers != c.row {
			t.Errorf("%s: %q over %q, want %q over %q", c.name, titles, numbers, c.head, c.row)
		}
	}
	if !slices.Equal(Names(), []string{"start", "duration", "self", "share", "nested", "children"}) {
		t.Errorf("%q", Names())
	}
}

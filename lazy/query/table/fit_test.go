package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/lazy/query/display"
)

// TestCutNames: of a name that does not fit, the end of the class is missing if the method fits.
func TestCutNames(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"Table.addRow(2)", 15, "Table.addRow(2)"},
		{"Table.addRow(2)", 12, "T….addRow(2)"},
		{"JdbcPreparedStatement.close()", 20, "JdbcPrepare….close()"},
		{"Insert.insertRows()", 12, "Insert…ows()"},                // the method does not fit
		{"Page.Leaf.get(int, a.b.C)", 21, "Page….get(int, a.b.C)"}, // dots of types are not the method's
		{"new Page.Leaf(2)", 12, "new Pa…af(2)"},
		{"Bank.open › Bank.run", 12, "Bank.o…k.run"},
		{"JdbcSQLException", 10, "JdbcS…tion"},
	} {
		w := line{g: &display.Unicode}
		w.cut(c.text, styled(Plain), c.width, true)
		if got := w.end().Text; got != c.want {
			t.Errorf("%s in %d cells: %q, expected %q", c.text, c.width, got, c.want)
		}
	}
}

// TestShares: columns of texts have fair shares, a text that says more is cut last, and for it another
// column is left out.
func TestShares(t *testing.T) {
	of := func(worth bool) *Table {
		return &Table{
			Columns: []Column{
				{Key: "call", Title: "call", Least: 10, CutMiddle: true},
				{Key: "arg", Title: "1 String", Priority: 1, Most: 40, Worth: worth},
				{Key: "receiver", Title: "receiver", Priority: 5},
				{Key: "caller", Title: "called by", Priority: 3, Least: 12, CutMiddle: true},
				{Key: "event", Title: "event", Kind: Event},
			},
			Rows: List{{Str("Session.prepareCommand"), Str(`"insert into account values(?, ?, ?)"`), Str("SessionLocal@1003707344"), Str("JdbcPreparedStatement.prepare"), Int(1004)}},
		}
	}
	for _, c := range []struct {
		width int
		worth bool
		want  string
	}{
		{96, false, `Sessi….prepareCommand  "insert into account…  SessionLocal@100370…  JdbcPrepared….prepare  #1004`},
		{80, false, `S….prepareCommand  "insert into acc…  SessionLocal@10…  JdbcPrep….prepare  #1004`},
		{80, true, `Sessi…mmand  "insert into account values(?, …  SessionLoca…  Jdb….prepare  #1004`},
		{64, true, `Session.prepareCommand  "insert into account values(?, ?…  #1004`},
	} {
		l := NewLayout(of(c.worth), c.width, 0, &display.Unicode)
		l.Fit(0, 1)
		if got := l.Row(0).Text; got != c.want {
			t.Errorf("in %d cells:\n%s\nexpected\n%s", c.width, got, c.want)
		}
	}
}

// TestCutJoined: wherever a text with joined characters is cut, each joiner is in visible form, and the cells are
// those that it takes.
func TestCutJoined(t *testing.T) {
	const text = "family👩‍👩‍👧‍👦emoji.method()"
	for width := range display.Unicode.TextWidth(text) + 2 {
		for _, middle := range []bool{false, true} {
			l := line{g: &display.Unicode}
			l.cut(text, nil, width, middle)
			got := l.end().Text
			if strings.ContainsAny(got, "\u200d\u200c") || l.width > width || ansi.StringWidth(got) != l.width {
				t.Errorf("%d cells, in the middle %v: %q takes %d, counted %d", width, middle, got, ansi.StringWidth(got), l.width)
			}
		}
	}
}

// TestShifted: each part of a text that is cut can be scrolled into view, and no further; numbers stay.
func TestShifted(t *testing.T) {
	tb := &Table{Columns: []Column{{Key: "n", Kind: Count}, {Key: "a", Most: 8, Priority: 1}, {Key: "b", Stretch: true}}, Rows: List{{Int(7), Str("abcdefghijklmnop"), Str("short")}}}
	l := NewLayout(tb, 20, 0, &display.Unicode)
	l.Fit(0, 1)
	row := tb.Rows.Row(0)
	if n := l.Hidden(row); n != 6 {
		t.Errorf("%d cells are hidden", n)
	}
	for skip, want := range map[int]string{0: "7  abcdefghi…  short", 1: "7  …cdefghij…  short", 6: "7  …hijklmnop  short", 99: "7  …hijklmnop  short"} {
		if got := l.Shifted(row, skip).Text; got != want {
			t.Errorf("%d cells: %q, want %q", skip, got, want)
		}
	}
}

// TestBars: the first share of a row has a bar in wide lines only, under the rule of the heads.
func TestBars(t *testing.T) {
	tb := &Table{Columns: []Column{{Key: "a", Title: "share", Kind: Share}, {Key: "b", Title: "part", Kind: Share}, {Key: "name", Title: "name"}}, Rows: List{{Float(0.5), Float(0.25), Str("x")}}}
	l := NewLayout(tb, BarsFrom, 0, &display.Unicode).Bars(BarsFrom)
	l.Fit(0, 1)
	if got := l.Row(0).Text; got != " 50 % ━━━━────  25 %  x" {
		t.Errorf("%q", got)
	}
	if head := l.Head().Text; !strings.HasPrefix(head, "share ───────── part  name ──") || ansi.StringWidth(head) != BarsFrom {
		t.Errorf("%q", head)
	}
	if l.Resize(BarsFrom - 1); l.Row(0).Text != " 50 %  25 %  x" {
		t.Errorf("narrow: %q", l.Row(0).Text)
	}
}

// TestFaint: numbers that say nothing, classes and marks of paths are faint.
func TestFaint(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		style format.Style
		v     Value
		want  []format.Style
	}{
		{Count, 0, Int(0), []format.Style{Faint}}, {Count, 0, Int(1), []format.Style{Plain}}, {Event, 0, Int(0), []format.Style{Plain}},
		{Share, 0, Float(0.0009), []format.Style{Faint}}, {Share, 0, Float(0.001), []format.Style{Plain}}, {Count, 0, Int(-2), []format.Style{Plain}},
		{Text, format.StyleException, Str("Boom"), []format.Style{format.StyleException}},
		{Text, format.StyleMethod, Str("  ▹ a.B.c(d.E)"), []format.Style{Faint, format.StyleClass, format.StyleMethod, Plain}},
		{Text, format.StyleMethod, Str("… others"), []format.Style{Plain}},
	} {
		column := Column{Kind: c.kind, Style: c.style}
		text, spans := column.shown(c.v, &display.Unicode)
		var got []format.Style
		for _, s := range spans {
			got = append(got, s.Style)
		}
		if !slices.Equal(got, c.want) || spans[len(spans)-1].End < len(text) {
			t.Errorf("%q: %v, want %v", text, spans, c.want)
		}
	}
}

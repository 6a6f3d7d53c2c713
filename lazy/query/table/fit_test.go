package table

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

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
		w.cut(c.text, styled(c.text, Plain), c.width, true)
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
	for width := range display.TextWidth(text, false) + 2 {
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

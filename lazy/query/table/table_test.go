package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
)

var update = flag.Bool("update", false, "write the golden files anew")

// top is a table of methods.
func top() *Table {
	columns := []Column{
		{Key: "self", Title: "self", Kind: Duration},
		{Key: "self_share", Title: "share", Kind: Share, Priority: 2},
		{Key: "total", Title: "total", Kind: Duration, Priority: 1},
		{Key: "calls", Title: "calls", Kind: Count, Priority: 1},
		{Key: "mean", Title: "mean", Kind: Duration, Priority: 3},
		{Key: "p99", Title: "≈p99", Kind: Duration, Priority: 4},
		{Key: "max", Title: "max", Kind: Duration, Priority: 3},
		{Key: "threw", Title: "threw", Kind: Count, Priority: 5},
		{Key: "name", Title: "method", In: OnlyShown},
		{Key: "class", In: OnlyData},
		{Key: "method", In: OnlyData},
	}
	row := func(self, total, calls, p99, max int64, threw Value, class, method, args string) []Value {
		return []Value{Int(self), Float(float64(self) / 61.2e9), Int(total), Int(calls), Int(self / calls), Int(p99), Int(max), threw,
			Str(class[strings.LastIndexByte(class, '.')+1:] + "." + method + args), Str(class), Str(method)}
	}
	var h histogram.Histogram
	for i := range int64(400) {
		h.AddN(1000+i*i*60, uint64(400-i))
	}
	return &Table{
		Row: "method", Title: "top · by self time · 1,498 methods · 61.2 s", Columns: columns, Sorted: "self",
		Rows: List{
			row(18.31e9, 22.08e9, 412_880, 190_000, 88e6, Value{}, "org.h2.mvstore.MVMap", "rewrite", "(…)"),
			row(11.02e9, 11.02e9, 1_204_332, 31_000, 4_100_000, Value{}, "org.h2.mvstore.Page", "binarySearch", "(1)"),
			row(6.4e9, 61.18e9, 2400, 310e6, 1_300_000_000, Value{}, "org.h2.jdbc.JdbcPreparedStatement", "executeUpdate", "()"),
			row(2.11e9, 2.11e9, 2_001_774, 1900, 2_000_000, Int(5), "org.h2.message.DbException", "get日本語のとても長い名前のメソッドです", "(…)"),
			row(1200, 1300, 3, 500, 501, Int(1), "app.Evil\n\x1b[2J", "é\u0301x", "(…)"),
		},
		Notes:  []string{"calls that had not ended: 3"},
		Spread: func(int) (string, *histogram.Histogram) { return "calls by duration", &h },
	}
}

// calls is a table with several columns of text, one of them values with styles.
func calls() *Table {
	value := func(text string, s format.Style) Value {
		return Styled(text, styled(s)).JSON([]byte(`{"type":"int","value":` + text + `}`))
	}
	object := func(class, id string) Value {
		return Styled(class+"@"+id, []format.Span{{Start: 0, End: len(class), Style: format.StyleName}, {Start: len(class), End: len(class) + 1 + len(id), Style: format.StyleValue}})
	}
	return &Table{
		Row: "call", Title: "calls · Account.withdraw(int) · 24,118 calls · 3 threads", Sorted: "event", Rising: true, Partial: true, Done: 0.62,
		Columns: []Column{
			{Key: "duration", Title: "duration", Kind: Duration, Priority: 1},
			{Key: "arg_1", Title: "1 int", Align: Right, Priority: 1},
			{Key: "result", Title: "result", Align: Right, Priority: 1},
			{Key: "receiver", Title: "receiver", Priority: 2, CutMiddle: true},
			{Key: "thread", Title: "thread", Priority: 3},
			{Key: "caller", Title: "called by", Priority: 2, Stretch: true},
			{Key: "event", Title: "event", Kind: Event},
			{Key: "size", Title: "size", Kind: Bytes, Priority: 6},
			{Key: "found", Title: "found", Kind: Count, Priority: 6},
		},
		Rows: List{
			{Int(4_100_000), value("120", format.StyleNumber), value("-20", format.StyleResult), object("Account", "129378"), Str("worker-2"), Str("Bank.transfer"), Int(182_771), Int(1 << 20), Int(4096).Is(AtLeast)},
			{Pending(), value("40", format.StyleNumber), Pending(), object("Account", "88"), Str("worker-1"), Str("com.shop.accounts.administration.Bank.transferAllOfIt(List, Account, Account)"), Int(182_690), {}, Int(1)},
			nil,
			{{}, value("40", format.StyleNumber), Str("✗ Insufficient"), object("VeryLongAccountNameOfAFactory", "1234567"), Str("worker-1"), Str(""), Int(61_002), Int(17), Int(3).Is(About)},
		},
	}
}

// TestText compares tables at several widths with golden files.
func TestText(t *testing.T) {
	for name, of := range map[string]func() *Table{"top": top, "calls": calls} {
		for _, width := range []int{0, 24, 60, 100, 160} {
			var out bytes.Buffer
			if err := WriteText(&out, of(), Options{Width: width, Glyphs: &display.Unicode}); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("%s-%d", name, width), out.String())
			checkWidths(t, of(), width, &display.Unicode)
			checkWidths(t, of(), width, &display.ASCII)
		}
	}
	var out bytes.Buffer
	if err := WriteText(&out, top(), Options{Width: 80, Limit: 2, Glyphs: &display.ASCII}); err != nil {
		t.Fatal(err)
	}
	golden(t, "top-ascii", out.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nexpected\n%s", path, got, want)
	}
}

// checkWidths draws a table with and without a margin and checks each line: its width, its styles,
// and that it disturbs no terminal.
func checkWidths(t *testing.T, of *Table, width int, g *display.Glyphs) {
	t.Helper()
	for _, margin := range []int{0, 2} {
		l := NewLayout(of, width, margin, g)
		l.Fit(0, of.Rows.Len())
		lines := []Line{l.Title(), l.Head(), l.Spread(-1, 0), l.Note("a note that is longer than a narrow line")}
		for i := range of.Rows.Len() {
			lines = append(lines, l.Row(i))
		}
		for _, line := range lines {
			if w := ansi.StringWidth(line.Text); width > 0 && w > width || w != g.TextWidth(line.Text) {
				t.Errorf("at width %d a line of %d: %q", width, w, line.Text)
			}
			if format.NeedsEscape(line.Text) {
				t.Errorf("%q needs an escape", line.Text)
			}
			at := 0
			for _, s := range line.Spans {
				if s.Start != at || s.End <= at {
					t.Errorf("%q: a style from %d to %d, after %d", line.Text, s.Start, s.End, at)
				}
				at = s.End
			}
			if at != len(line.Text) {
				t.Errorf("%q: styles end at %d of %d", line.Text, at, len(line.Text))
			}
		}
	}
}

// TestWidthsOfAnyTable draws tables of random columns and values.
func TestWidthsOfAnyTable(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	texts := []string{"", "x", "日本語", strings.Repeat("long name ", 30), "e\u0301\u0301", "\u0301start", "👩\u200d👩\u200d👧", "a\tb\nc", "\xff", "➜ x"}
	for range 300 {
		var table Table
		for i := range 1 + r.IntN(8) {
			table.Columns = append(table.Columns, Column{Key: strconv.Itoa(i), Title: texts[r.IntN(3)], Kind: Kind(r.IntN(int(Event) + 1)),
				Priority: r.IntN(4), Least: r.IntN(10), Most: r.IntN(2) * 20, Align: Align(r.IntN(3)), CutMiddle: r.IntN(2) == 0, In: Medium(r.IntN(3))})
		}
		var rows List
		for range r.IntN(5) {
			var row []Value
			for range table.Columns {
				v := Int(r.Int64() >> r.IntN(64))
				v.text = texts[r.IntN(len(texts))]
				v.state = state(r.IntN(3))
				row = append(row, v.Is(Bound(r.IntN(4))))
			}
			rows = append(rows, row)
		}
		table.Rows = rows
		for _, width := range []int{0, 1, 7, 20, 60, 133} {
			checkWidths(t, &table, width, &display.Unicode)
			checkWidths(t, &table, width, &display.ASCII)
		}
	}
}

// TestColumnsByPriority: the columns that are least important go first, and wider lines never show fewer.
func TestColumnsByPriority(t *testing.T) {
	of := top()
	l := NewLayout(of, 200, 2, &display.Unicode)
	l.Fit(0, of.Rows.Len())
	before := len(l.Shown())
	if before != 9 {
		t.Fatalf("of 9 columns %d are shown: %v", before, l.Shown())
	}
	for width := 200; width > 0; width-- {
		l.Resize(width)
		shown := l.Shown()
		if len(shown) > before {
			t.Errorf("%d cells: %v", width, shown)
		}
		before = len(shown)
		for _, i := range []int{0, 8} {
			if !strings.Contains(" "+strings.Join(shown, " ")+" ", " "+of.Columns[i].Key+" ") {
				t.Fatalf("%d cells: %s is not among %v", width, of.Columns[i].Key, shown)
			}
		}
	}
	if before != 2 {
		t.Errorf("the narrowest line has %d columns", before)
	}
}

// TestJSON reads the lines of a table with a JSON reader.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if more, err := WriteJSON(&out, top(), 4); err != nil || more != 1 {
		t.Fatal(more, err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines", len(lines))
	}
	want := `{"schema":1,"kind":"method","self":18310000000,"self_share":0.299183006535947`
	if !strings.HasPrefix(lines[0], want) || !strings.HasSuffix(lines[0], `"max":88000000,"class":"org.h2.mvstore.MVMap","method":"rewrite"}`) {
		t.Errorf("%s", lines[0])
	}
	of := top()
	for i, text := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		for c, v := range of.Rows.Row(i) {
			value, ok := got[of.Columns[c].Key]
			switch {
			case ok != (v.Known() && of.Columns[c].In != OnlyShown):
				t.Errorf("line %d: %s is %v", i, of.Columns[c].Key, value)
			case ok && of.Columns[c].Kind == Text && value != v.Text(), ok && of.Columns[c].Kind != Text && value != v.Float():
				t.Errorf("line %d: %s is %v", i, of.Columns[c].Key, value)
			}
		}
	}
	out.Reset()
	partial := calls()
	partial.Rows = partial.Rows.(List)[:1]
	if _, err := WriteJSON(&out, partial, 0); err != nil {
		t.Fatal(err)
	}
	want = `{"schema":1,"kind":"call","partial":true,"duration":4100000,"arg_1":{"type":"int","value":120},"result":{"type":"int","value":-20},` +
		`"receiver":"Account@129378","thread":"worker-2","caller":"Bank.transfer","event":182771,"size":1048576,"found":4096,"found_bound":"at least"}` + "\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}

// TestCSV reads a table back with a CSV reader.
func TestCSV(t *testing.T) {
	of := calls()
	of.Columns[5].In = OnlyShown
	evil := "a,\"b\"\nc "
	of.Rows.(List)[0][4] = Str(evil)
	of.Rows = append(of.Rows.(List)[:2:2], of.Rows.(List)[3])
	var out bytes.Buffer
	if more, err := WriteCSV(&out, of, 0); err != nil || more != 0 {
		t.Fatal(more, err)
	}
	records, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"duration", "arg_1", "result", "receiver", "thread", "event", "size", "found"},
		{"4100000", "120", "-20", "Account@129378", evil, "182771", "1048576", ">=4096"},
		{"", "40", "", "Account@88", "worker-1", "182690", "", "1"},
		{"", "40", "✗ Insufficient", "VeryLongAccountNameOfAFactory@1234567", "worker-1", "61002", "17", "~3"},
	}
	if fmt.Sprint(records) != fmt.Sprint(want) {
		t.Errorf("%q\nexpected\n%q", records, want)
	}
}

// TestLayoutGrows: columns become wider with the rows they are shown, and never narrower.
func TestLayoutGrows(t *testing.T) {
	of := &Table{Columns: []Column{{Key: "n", Title: "n", Kind: Count}, {Key: "name", Title: "name"}},
		Rows: List{{Int(5), Str("a")}, {Int(1_234_567), Str("b")}}}
	l := NewLayout(of, 40, 0, &display.Unicode)
	l.Fit(0, 1)
	if got := l.Row(0).Text; got != "5  a" {
		t.Errorf("%q", got)
	}
	l.Fit(1, 2)
	l.Fit(0, 1)
	if got := l.Row(0).Text; got != "        5  a" {
		t.Errorf("%q", got)
	}
	if got := of.RowText(1, &display.Unicode); got != "1,234,567  b" {
		t.Errorf("%q", got)
	}
}

// TestSort: rows are in the order of a column, those without a value last, and equal ones as before.
func TestSort(t *testing.T) {
	of := calls()
	of.Rows = append(of.Rows.(List)[:2:2], of.Rows.(List)[3])
	var columns Columns[int]
	for i, c := range of.Columns {
		columns.Add(c, func(row int) Value { return of.Rows.Row(row)[i] })
	}
	for _, c := range []struct {
		key    string
		rising bool
		want   string
	}{
		{"duration", false, "012"}, {"duration", true, "012"}, {"event", true, "210"}, {"event", false, "012"}, {"arg_1", true, "012"},
		{"arg_1", false, "120"}, {"size", true, "201"}, {"size", false, "021"}, {"thread", true, "120"}, {"none", true, "012"},
	} {
		rows := []int{0, 1, 2}
		columns.Sort(rows, c.key, c.rising)
		if got := fmt.Sprintf("%d%d%d", rows[0], rows[1], rows[2]); got != c.want {
			t.Errorf("by %s, rising %v: %s, expected %s", c.key, c.rising, got, c.want)
		}
		if columns.Sort(rows, "event", true); rows[0] != 2 {
			t.Errorf("sorted twice, the first row was row %d", rows[0])
		}
	}
	columns[6].By = func(a, b int) int { return a - b }
	rows := []int{0, 1, 2}
	if columns.Sort(rows, "event", false); !slices.Equal(rows, []int{2, 1, 0}) {
		t.Errorf("by an order of its own: %v", rows)
	}
}

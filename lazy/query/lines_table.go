package query

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// LinesView says how lines are shown.
type LinesView struct {
	Texts map[string][]string // the lines of sources, by the names that files have in the trace
	G     *display.Glyphs
}

// Table returns the lines as a table. If the text of the function's file is known, it has all lines of the function,
// otherwise those where something happened. Lines of other files follow.
func (f *LinesFound) Table(v LinesView) *table.Table {
	t := &table.Table{
		Row: "source_line", Title: f.title(v.G), Partial: f.Partial, Empty: "nothing was recorded in it", Notes: f.notes(),
		Columns: []table.Column{
			{Key: "mark", In: table.OnlyShown},
			{Key: "file", Title: "file", Priority: 2, CutMiddle: true, Most: 30, In: table.OnlyData},
			{Key: "line", Title: "line", Kind: table.Number},
			{Key: "here", In: table.OnlyData},
			{Key: "source", Title: "source", Worth: true, Most: 100, In: table.OnlyData},
			{Key: "runs", Title: "times", Kind: table.Count, Priority: 1},
			{Key: "values", Title: "what it did", Stretch: true, Least: 20},
			{Key: "call", In: table.OnlyData},
			{Key: "acts", In: table.OnlyData},
		},
	}
	if len(v.Texts) > 0 {
		t.Columns[4].In = table.Everywhere
	}
	x := &linesTable{f: f, v: v}
	n := 0 // lines of the function's file
	for n < len(f.Lines) && f.Lines[n].File == f.File {
		n++
	}
	if n < len(f.Lines) {
		t.Columns[1].In = table.Everywhere
	}
	x.function(f.Lines[:n])
	for i := range f.Lines[n:] {
		x.add(&f.Lines[n+i], "")
	}
	t.Rows = x.rows
	return t
}

// nearLines is how many lines of text are shown before and after one where something happened.
const nearLines = 5

// function adds the lines of the function, with those of its text near them.
func (x *linesTable) function(lines []SourceLine) {
	f, text := x.f, x.v.Texts[x.f.File]
	declared, end := f.Declared(text), f.Ends(text)
	if declared == 0 && f.Text != "" {
		x.add(&SourceLine{SourceLineID: SourceLineID{f.File, f.First}}, f.Text)
	}
	at := make(map[int]*SourceLine)
	for i := range lines {
		at[lines[i].Line] = &lines[i]
	}
	for _, n := range append(slices.Collect(maps.Keys(at)), declared) {
		for near := max(n-nearLines, declared); near <= min(n+nearLines, end); near++ {
			if near > 0 && at[near] == nil {
				at[near] = &SourceLine{SourceLineID: SourceLineID{f.File, near}}
			}
		}
	}
	if declared > 0 && at[declared] == nil {
		at[declared] = &SourceLine{SourceLineID: SourceLineID{f.File, declared}}
	}
	for _, n := range slices.Sorted(maps.Keys(at)) {
		call := ""
		if n == declared {
			call = f.Text
		}
		x.add(at[n], call)
	}
}

// linesTable makes the rows of a table of lines.
type linesTable struct {
	f    *LinesFound
	v    LinesView
	rows table.List
}

// add adds the row of a line. call is the text of the call, at the line of its function.
func (x *linesTable) add(line *SourceLine, call string) {
	row := make([]table.Value, 9)
	row[0] = table.Str("")
	if row[1] = table.Str(line.File); line.Line > 0 {
		row[2] = table.Int(int64(line.Line))
	}
	if call != "" && line.Events == 0 && line.Line == x.f.First && x.v.Texts[line.File] == nil {
		row[2] = row[2].Is(table.AtMost) // the first line of it that the trace names
	} else if line.SourceLineID == x.f.Here {
		row[0], row[3] = table.Str(x.v.G.Cursor), table.Yes(true)
	}
	if text := x.v.Texts[line.File]; line.Line > 0 && line.Line <= len(text) {
		row[4] = table.Str(text[line.Line-1])
	}
	if line.Runs > 0 {
		row[5] = table.Int(line.Runs)
	}
	var texts []string
	if call != "" {
		texts, row[7] = append(texts, call), table.Str(call)
	}
	for i := range line.Acts {
		texts = append(texts, line.Acts[i].String())
	}
	if len(texts) > 0 {
		row[6] = table.Str(strings.Join(texts, " "+x.v.G.Dot+" "))
	}
	if len(line.Acts) > 0 {
		acts := appendActs(nil, line.Acts)
		row[8] = table.Str(string(acts)).JSON(acts)
	}
	x.rows = append(x.rows, row)
}

// String returns what happened last, and how often.
func (a *LineAct) String() string {
	text := a.Text
	if a.Count > 1 {
		text += " ×" + display.Grouped(a.Count)
	}
	if a.Threw > 0 && a.Count > 1 {
		text += " (" + display.Grouped(a.Threw) + " threw)"
	}
	return text
}

// appendActs appends acts as a JSON array.
func appendActs(b []byte, acts []LineAct) []byte {
	number := func(key string, n int64) {
		if n > 0 {
			b = strconv.AppendInt(append(b, key...), n, 10)
		}
	}
	b = append(b, '[')
	for i := range acts {
		a := &acts[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = format.AppendJSONString(append(b, `{"kind":`...), a.Class.String())
		b = format.AppendJSONString(append(b, `,"text":`...), a.Text)
		if a.Value != "" {
			b = format.AppendJSONString(append(b, `,"value":`...), a.Value)
		}
		number(`,"count":`, a.Count)
		number(`,"threw":`, a.Threw)
		number(`,"iterations":`, a.Iterations)
		if a.Timed {
			b = strconv.AppendInt(append(b, `,"duration":`...), a.Time, 10)
		}
		b = strconv.AppendInt(append(b, `,"event":`...), int64(a.Last.Event), 10)
		b = format.AppendJSONString(append(b, `,"handle":`...), lazy.PositionHandle(a.Last.Position).String())
		b = append(b, '}')
	}
	return append(b, ']')
}

// headLines is how many lines above the first one that the trace names are searched for the head of a function.
const headLines = 20

// Declared returns the line of the function's head in the text of its file: the nearest one at or above its first line
// that has its name before a parenthesis. Without one it is the first line; 0 if there is no text.
func (f *LinesFound) Declared(text []string) int {
	if f.First == 0 || f.First > len(text) {
		return 0
	}
	name := f.Name[strings.LastIndexAny(f.Name, ". @")+1:]
	name, _, _ = strings.Cut(name, "(")
	for n := f.First; name != "" && n >= max(1, f.First-headLines); n-- {
		if strings.Contains(text[n-1], name+"(") {
			return n
		}
	}
	return f.First
}

// Ends returns the line that ends the function in the text of its file, at or after the last one that the trace names:
// the next bracket that is indented no deeper than the function's head, or else the last line before one that is. It is
// 0 if there is no text.
func (f *LinesFound) Ends(text []string) int {
	head := f.Declared(text)
	if head == 0 || f.Last > len(text) {
		return 0
	}
	deep := indentation(text[head-1])
	end := f.Last
	for n := max(f.Last, head+1); n <= len(text); n++ {
		line := strings.TrimSpace(text[n-1])
		switch {
		case line == "":
			continue
		case indentation(text[n-1]) > deep:
		case strings.ContainsAny(line[:1], "})"), line == "end":
			return n
		case n > f.Last:
			return end
		}
		end = n
	}
	return end
}

// indentation returns how many blanks a line begins with.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// title says what was asked.
func (f *LinesFound) title(g *display.Glyphs) string {
	title := "source"
	if f.Name != "" {
		title += " of " + f.Name
	}
	title += " " + lazy.EventHandle(f.Event).String()
	if f.File != "" {
		title += " " + g.Dot + " " + f.File
	}
	return title + " " + g.Dot + " " + display.Plural(f.Looked, "event")
}

// notes tells what the lines do not.
func (f *LinesFound) notes() (notes []string) {
	if f.Left > 0 {
		least := ""
		if f.Counting {
			least = "at least "
		}
		notes = append(notes, fmt.Sprintf("only the first %s of it are in the table; %s%s more", display.Plural(f.Looked, "event"), least, display.Grouped(f.Left)))
	}
	if f.Nowhere > 0 {
		notes = append(notes, display.Plural(f.Nowhere, "event")+" without a line")
	}
	return notes
}

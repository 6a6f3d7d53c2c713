package tables

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/export"
	"tracex/lazy/query/table"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// exportOrder is what is to be exported, and how.
type exportOrder struct {
	*piece
	format exportFormat
	words  map[string]bool // of exportWords
	force  bool
	file   string // as typed; "" for the one proposed
}

// exportWords are the words after the format that are no file.
var exportWords = []struct{ word, help string }{
	{"all", "all of the trace, not what is on the screen"},
	{"no-values", "no arguments, results, variables: may be secret"},
	{"reads", "also reads of variables, fields and elements"},
}

// Check tells what is wrong with the arguments of the command.
func (x *Exports) Check(args string) (err error) {
	if args != "" {
		_, err = x.order(args, false)
	}
	return err
}

// order reads a format, and in any order words and a file, whose name may have blanks.
func (x *Exports) order(args string, force bool) (*exportOrder, error) {
	name, rest, _ := strings.Cut(args, " ")
	o := &exportOrder{force: force, words: make(map[string]bool)}
	for again := true; again; {
		again = false
		for _, w := range exportWords {
			rest = strings.TrimSpace(rest)
			if after, ok := strings.CutPrefix(rest+" ", w.word+" "); ok {
				rest = after
			} else if before, ok := strings.CutSuffix(" "+rest, " "+w.word); ok {
				rest = before
			} else {
				continue
			}
			o.words[w.word], again = true, true
		}
	}
	o.file = strings.TrimSpace(rest)
	var err error
	if o.piece, err = x.here(o.words["all"]); err != nil {
		return nil, err
	}
	return o, o.choose(strings.ToLower(name))
}

// choose sets the format. The error tells that what is exported cannot have it.
func (o *exportOrder) choose(name string) error {
	named := func(f exportFormat) bool { return f.name == name }
	formats := o.formats()
	if i := slices.IndexFunc(formats, named); i >= 0 {
		o.format = formats[i]
		return nil
	}
	why := ""
	switch {
	case slices.ContainsFunc(rowFormats, named):
		why = name + " is for tables and lists; here there are "
	case name == textFormat.name:
		why = name + " is for rows of the tree; here there are "
	case name == "parquet":
		return errors.New("parquet is a folder for many traces: tracex export parquet writes it")
	case export.ByName(name) != nil:
		why = name + " is for calls and lists of them; this table can be exported as "
	default:
		why = "no format " + name + "; there are "
	}
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].name
	}
	return errors.New(why + strings.Join(names, ", "))
}

// Complete completes the format; then the name proposed, and the words.
func (x *Exports) Complete(args string) (from int, with []prompt.Candidate) {
	from = strings.LastIndexByte(args, ' ') + 1
	add := func(text, title, help string) {
		if strings.HasPrefix(text, args[from:]) {
			with = append(with, prompt.Candidate{Text: text, Title: title, Help: help})
		}
	}
	if from > 0 {
		if o, err := x.order(args[:from], false); err == nil && o.file == "" {
			n := x.file(o)
			path, _ := n.Path() // without one there is none to complete
			add(path, filepath.Base(path), "beside the trace")
		}
		for _, w := range exportWords {
			if !strings.Contains(" "+args[:from], " "+w.word+" ") {
				add(w.word, w.word, w.help)
			}
		}
		return from, with
	}
	if p, err := x.here(false); err == nil {
		for _, f := range p.formats() {
			add(f.name+" ", f.name, f.what)
		}
	}
	return from, with
}

// file returns the file that an order goes to. One without a name goes beside the trace; a trace that has no file of
// the user's, such as that of a pipe, is taken to be in the current folder.
func (x *Exports) file(o *exportOrder) export.Name {
	n := export.Name{Typed: o.file, Trace: x.env.Trace.File(), Part: o.name, Suffix: o.format.suffix, Replace: o.force}
	if x.env.Trace.Named() {
		n.Trace = strings.ReplaceAll(filepath.Base(x.env.Trace.Name()), " ", "-")
	}
	n.Several = o.format.events != nil && o.format.events.Files
	return n
}

// exportFormat is a format of files: of events, of the rows of a table, or of the lines of the tree.
type exportFormat struct {
	name, suffix string
	what         string // for help
	events       *export.Format
	rows         func(w io.Writer, t *table.Table, limit int) (more int, err error)
}

// rowFormats are the formats of tables: what commands print with these flags.
var rowFormats = []exportFormat{
	{name: "csv", suffix: ".csv", what: "the rows as comma-separated values, as --csv prints them", rows: table.WriteCSV},
	{name: "json", suffix: ".jsonl", what: "the rows as JSON, one object per line, as --json prints them", rows: table.WriteJSON},
}

// textFormat is the format of print, unless steps edit the tree.
var textFormat = exportFormat{name: "text", suffix: ".txt", what: "all of it, as print prints it; with steps: what is loaded"}

func (p *piece) formats() (list []exportFormat) {
	if p.rows != nil {
		list = append(list, rowFormats...)
	}
	if p.events {
		for _, f := range export.Formats {
			list = append(list, exportFormat{name: f.Name, suffix: f.Suffix, what: f.What, events: f})
		}
	}
	if p.print != nil {
		list = append(list, textFormat)
	}
	return list
}

// choose lists the formats that what the screen shows can have. Enter exports it.
func (x *Exports) choose(force bool) tea.Cmd {
	p, err := x.here(false)
	if err != nil {
		return x.env.Warn(err.Error())
	}
	var orders []*exportOrder
	var names []string
	first, second := 0, 0 // widths of columns
	for i, f := range p.formats() {
		orders = append(orders, &exportOrder{piece: p, format: f, force: force})
		n := x.file(orders[i])
		names = append(names, n.Proposed())
		first, second = max(first, len(f.name)), max(second, x.env.Glyphs.TextWidth(names[i]))
	}
	second = min(second, screen.FloatWidth(x.env.Width)/3)
	items := make([]prompt.Item, len(orders))
	for i, o := range orders {
		items[i].Cells = []prompt.Cell{
			{Text: o.format.name, Style: theme.Accent, At: 2},
			{Text: x.env.Glyphs.CutMiddle(names[i], second), Style: theme.Plain, At: first + 4},
			{Text: o.format.what, Style: theme.Faint, At: first + second + 6},
		}
	}
	l := prompt.NewLines("export "+p.what, append(items, x.usage()...))
	l.Keys, l.Choosable, l.Returns = "Enter writes the file", true, true
	x.env.Front.Push(l, func(i int) tea.Cmd { return x.write(orders[i]) })
	return nil
}

// usage tells how the command is typed, and how the last export ended.
func (x *Exports) usage() (items []prompt.Item) {
	lines := [][2]string{
		{},
		{":export FORMAT FILE", "there; without FILE beside the trace"},
		{":export! FORMAT FILE", "replaces FILE, and writes what is too large"},
	}
	before := ":export FORMAT "
	for _, w := range exportWords {
		lines = append(lines, [2]string{before + w.word, w.help})
	}
	if last := x.last; last != "" {
		lines = append(lines, [2]string{}, [2]string{"the last one", last})
	}
	second := 0
	for _, line := range lines {
		second = max(second, 4+x.env.Glyphs.TextWidth(line[0]))
	}
	for _, line := range lines {
		items = append(items, prompt.Item{Head: true, Cells: []prompt.Cell{{Text: line[0], Style: theme.Plain, At: 2}, {Text: line[1], Style: theme.Faint, At: second}}})
	}
	return items
}

package tables

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"tracex/lazy/export"
	"tracex/ui/internal/prompt"
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

// order reads the arguments of the command: a format, and in any order a file and words. Blanks in the name of
// the file are part of it.
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
	for i, f := range formats {
		if i > 0 {
			why += ", "
		}
		why += f.name
	}
	return errors.New(why)
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

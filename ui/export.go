package ui

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/export"
	"tracex/ui/internal/command"
	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/saving"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// exporting writes what the screen shows to files, in the formats of other tools.
type exporting struct {
	*saving.Part
	env   *env.Env
	trace *tracestate.State
	tree  *tree.Part
	front *front.Front
	steps *stepping
	marks *marking
	// filtered reports whether the tree shows only what matches a filter.
	filtered func() bool
	program  string // see Options.Program
}

// replacing is the end of the command that replaces files, and writes what is too large for its target.
const replacing = "!"

func (x *exporting) commands() []command.Command {
	of := func(end, help string) command.Command {
		force := end != ""
		return command.Command{
			Name: "export" + end, Group: groupOther, Args: "[FORMAT] [FILE]", Help: help,
			Check: func(args string) error {
				if args == "" {
					return nil
				}
				_, err := x.order(args, force)
				return err
			},
			Complete: x.complete,
			Run: func(args string) tea.Cmd {
				if args == "" {
					return x.choose(force)
				}
				o, err := x.order(args, force)
				if err != nil {
					x.env.Warn(err.Error())
					return nil
				}
				x.begin(o)
				return nil
			},
		}
	}
	return []command.Command{
		of("", "write what the screen shows to a file: perfetto, csv … of the row with all below it, a list, a table"),
		of(replacing, "the same, in place of an existing file, and whatever its size"),
	}
}

// exportOrder is what is to be exported, and how.
type exportOrder struct {
	*piece
	format          *export.Format      // nil for rows
	table           *saving.TableFormat // nil for events
	text            bool                // as print prints it
	noValues, reads bool
	force           bool
	file            string // as typed; "" for the one proposed
}

// exportWords are the words after the format that are no file.
var exportWords = []struct {
	word, help string
	set        func(o *exportOrder)
}{
	{"all", "all of the trace, not what is on the screen", nil},
	{"no-values", "no arguments, results, variables: may be secret", func(o *exportOrder) { o.noValues = true }},
	{"reads", "also reads of variables, fields and elements", func(o *exportOrder) { o.reads = true }},
}

// order reads the arguments of the command: a format, and in any order a file and words. Blanks in the name of
// the file are part of it.
func (x *exporting) order(args string, force bool) (*exportOrder, error) {
	name, rest, _ := strings.Cut(args, " ")
	o := &exportOrder{force: force}
	words := make(map[string]bool)
	for again := true; again; {
		again = false
		rest = strings.TrimSpace(rest)
		for _, w := range exportWords {
			if rest == w.word || strings.HasPrefix(rest, w.word+" ") {
				rest, again = strings.TrimSpace(rest[len(w.word):]), true
			} else if strings.HasSuffix(rest, " "+w.word) {
				rest, again = strings.TrimSpace(rest[:len(rest)-len(w.word)]), true
			} else {
				continue
			}
			if words[w.word] = true; w.set != nil {
				w.set(o)
			}
		}
	}
	o.file = rest
	var err error
	if o.piece, err = x.here(words["all"]); err != nil {
		return nil, err
	}
	return o, o.choose(strings.ToLower(name))
}

// choose sets the format.
func (o *exportOrder) choose(name string) error {
	for _, f := range saving.TableFormats {
		if f.Name != name {
			continue
		}
		if o.table = f; o.rows == nil {
			return fmt.Errorf("%s is for tables and lists; here there are %s", name, o.names())
		}
		return nil
	}
	if name == textFormat.name {
		if o.text = true; o.print == nil {
			return fmt.Errorf("%s is for rows of the tree; here there are %s", name, o.names())
		}
		return nil
	}
	if name == "parquet" {
		return errors.New("parquet is a folder for many traces: tracex export parquet writes it")
	}
	if o.format = export.ByName(name); o.format == nil {
		return fmt.Errorf("no format %s; there are %s", name, o.names())
	}
	if o.scope == nil {
		return fmt.Errorf("%s is for calls and lists of them; this table can be exported as %s", name, o.names())
	}
	return nil
}

// complete completes the format; then the name proposed, and the words.
func (x *exporting) complete(args string) (from int, with []prompt.Candidate) {
	from = strings.LastIndexByte(args, ' ') + 1
	add := func(text, title, help string) {
		if strings.HasPrefix(text, args[from:]) {
			with = append(with, prompt.Candidate{Text: text, Title: title, Help: help})
		}
	}
	if from > 0 {
		if o, err := x.order(args[:from], false); err == nil && o.file == "" {
			path := o.proposed(x.traceFile())
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
		for _, c := range p.choices() {
			add(c.name+" ", c.name, c.what)
		}
	}
	return from, with
}

// proposed returns the path that is proposed, which is free.
func (o *exportOrder) proposed(trace string) string {
	n := saving.Name{Trace: trace, Part: o.name}
	o.suffix(&n)
	path, _ := n.Path() // without one there is none to complete
	return path
}

// suffix sets the end of the files' names.
func (o *exportOrder) suffix(n *saving.Name) {
	switch {
	case o.text:
		n.Suffix = textFormat.suffix
	case o.table != nil:
		n.Suffix = o.table.Suffix
	default:
		n.Suffix, n.Several = o.format.Suffix, o.format.Files
	}
}

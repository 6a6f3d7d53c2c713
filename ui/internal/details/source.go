package details

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/sourcefiles"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Source finds and opens the source code of rows, in the background.
type Source struct {
	env    *env.Env
	finder *sourcefiles.Finder
	asked  bool // the user has named directories
	looks  bool // prepare has named them
	module bool // they are of Go modules
	found  sourcefiles.Code
	task   env.Task
	// declared are the spots of functions that have been looked for, by method; reset when there are many.
	declared map[int32]sourcefiles.Spot
	recorded map[string]bool // packages of Go that have methods in the trace
}

// NewSource returns a Source that looks for files in directories.
func NewSource(e *env.Env, dirs []string) *Source {
	return &Source{env: e, finder: sourcefiles.New(dirs), asked: len(dirs) > 0, declared: make(map[int32]sourcefiles.Spot), recorded: make(map[string]bool)}
}

// Found returns the source code of a node as far as it was found; n may be nil.
func (p *Source) Found(n *lazy.Node) sourcefiles.Code {
	if s, ok := p.spotOf(n); !ok || s != p.found.Spot {
		return sourcefiles.Code{}
	}
	return p.found
}

func (p *Source) Busy() bool { return p.task.Running() }

// show looks for the source code of a node, for the details. n may be nil.
func (p *Source) show(n *lazy.Node) tea.Cmd {
	if p.task.Running() {
		return nil
	}
	s, ok := p.spotOf(n)
	if !ok || s == p.found.Spot || !p.looksFor(s) {
		return nil
	}
	return p.find(s, false)
}

// Edit opens the code location of a node in the user's editor. n may be nil.
func (p *Source) Edit(n *lazy.Node) tea.Cmd {
	s, ok := p.spotOf(n)
	switch {
	case !ok:
		return p.env.Say("this row has no source location in the trace")
	case !p.looksFor(s):
		return p.env.Say("no source directories: start tracex with --source DIRECTORY")
	}
	return p.find(s, true)
}

// looksFor reports whether the file of a spot is looked for without being asked: there are directories that have it.
func (p *Source) looksFor(s sourcefiles.Spot) bool {
	p.prepare()
	return p.asked || p.module && s.IsGo()
}

// prepare names the directories to look in, if the user has not: the Go modules around the trace and around the
// working directory, else that of the trace.
func (p *Source) prepare() {
	if p.asked || p.looks {
		return
	}
	p.looks = true
	beside := "."
	if !p.env.Trace.Named() {
		beside = filepath.Dir(p.env.Trace.File())
	}
	var dirs []string
	for _, dir := range []string{beside, "."} {
		if in := sourcefiles.ModuleAround(dir); in != "" && !slices.Contains(dirs, in) {
			dirs = append(dirs, in)
		}
	}
	if p.module = len(dirs) > 0; !p.module {
		dirs = []string{beside}
	}
	p.finder = sourcefiles.New(dirs)
}

// find looks for the file of a spot, and opens it in the editor if edit is set.
func (p *Source) find(s sourcefiles.Spot, edit bool) tea.Cmd {
	finder, life := p.finder, p.env.Life // what the finder lists is for other spots, too
	return p.task.Run(p.env, func(context.Context) func() tea.Cmd {
		found := finder.Find(life, s)
		return func() tea.Cmd {
			if p.found = found; edit {
				return p.open()
			}
			return nil
		}
	})
}

func (p *Source) open() tea.Cmd {
	if p.found.Err != nil {
		return p.env.Fail("cannot open the source", p.found.Err)
	}
	if p.found.Alike > 1 {
		p.env.Say("opened " + p.found.Name())
	}
	return p.edit(p.found.Path, p.found.Spot.Line)
}

func (p *Source) edit(path string, line int) tea.Cmd {
	c, err := editorCommand(path, line)
	if err != nil {
		return p.env.Fail("cannot start the editor", err)
	}
	return p.env.Lend(c)
}

// spotOf returns the code location of a node; n may be nil.
func (p *Source) spotOf(n *lazy.Node) (s sourcefiles.Spot, ok bool) {
	if n == nil || n.Point() == nil {
		return s, false
	}
	p.env.Trace.Reader.WithContext(func(c *format.Context) { s, ok = p.spot(c, n.Point()) })
	return s, ok
}

// spot returns the code location of a point: where a call is made, unless that is in Go's runtime, or in
// other code that was not recorded. Then it is the function that is called, if the trace tells where that is.
func (p *Source) spot(c *format.Context, at *format.Point) (s sourcefiles.Spot, ok bool) {
	s, ok = sourcefiles.SpotAt(c, at.Location)
	if at.Class != format.ClassCall || ok && (!s.IsGo() || p.isRecorded(c, filter.PackageOf(s.Class))) {
		return s, ok
	}
	if d, known := p.declaration(c, at.Ref); known {
		return d, true
	}
	return s, ok
}

// isRecorded reports whether the trace has methods of a Go package: then what calls a method there is the user's code.
func (p *Source) isRecorded(c *format.Context, pkg string) bool {
	if p.recorded[pkg] {
		return true
	}
	known := make(map[int32]bool) // classes of other packages
	for m := range c.Methods() {
		if known[m.ClassID] {
			continue
		}
		known[m.ClassID] = true
		if of := c.Class(m.ClassID); of != nil && filter.PackageOf(of.Name) == pkg {
			p.recorded[pkg] = true
			return true
		}
	}
	return false
}

// mostDeclared bounds Source.declared.
const mostDeclared = 10_000

// declaration returns where a function of Go is declared: at the first line of it that the trace names.
func (p *Source) declaration(c *format.Context, method int32) (s sourcefiles.Spot, ok bool) {
	if s, ok = p.declared[method]; ok {
		return s, true
	}
	m := c.Method(method)
	if m == nil || c.Class(m.ClassID) == nil {
		return s, false
	}
	class := c.Class(m.ClassID).Name
	for l := range c.Locations() {
		if name, _ := c.Text(l.Method); name != m.Name || format.PlaceClass(c, l) != class {
			continue
		}
		if at, known := sourcefiles.SpotAt(c, l.ID); known && at.IsGo() && (!ok || at.Line < s.Line) {
			s, ok = at, true
		}
	}
	if s.Declared = ok; ok {
		if len(p.declared) >= mostDeclared {
			clear(p.declared)
		}
		p.declared[method] = s
	}
	return s, ok
}

// code adds the file of a code location and the lines around it, if they have been read.
func (w *writer) code(n *lazy.Node) {
	f := w.p.Source.Found(n)
	if f.Path == "" {
		return
	}
	name, at := f.Name(), f.Spot
	if at.Declared {
		name += ": the declaration"
	}
	if f.Err == nil && f.First+len(f.Text) <= at.Line {
		name += ", which has no line " + strconv.Itoa(at.Line)
		w.pair("source", name, theme.Faint)
		return
	}
	w.pair("source", name, theme.Plain)
	last := &w.lines[len(w.lines)-1]
	*last = strings.Replace(*last, f.Name(), theme.Link(f.Path, f.Name()), 1)
	for i, text := range f.Text {
		number := f.First + i
		st := theme.Faint
		mark := " "
		if number == at.Line {
			st, mark = theme.Bold, w.g.Cursor
		}
		l := screen.NewLine(w.width, w.g)
		label := strconv.Itoa(number)
		l.Space(labelWidth - 2 - len(label))
		l.Put(label, theme.Faint).Put(mark, theme.Accent).Put(" "+text, st)
		w.lines = append(w.lines, l.End())
	}
}

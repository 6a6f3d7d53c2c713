package code

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/editor"
	"tracex/ui/internal/env"
)

// Part finds and opens the source code of rows, in the background. Its methods run on one
// goroutine.
type Part struct {
	r      *lazy.LazyTraceReader
	env    *env.Env
	dirs   []string
	finder *Finder
	found  Found
	busy   bool // a search for a file is under way
	// declared are the spots of functions that have been looked for, by method; reset when there are many.
	declared map[int32]Spot
	recorded map[string]bool // packages of Go that have methods in the trace
}

// New returns a Part that looks for files in directories.
func New(r *lazy.LazyTraceReader, e *env.Env, dirs []string) *Part {
	return &Part{r: r, env: e, dirs: dirs, finder: NewFinder(dirs)}
}

// Found returns the source code of a node as far as it was found; n may be nil.
func (p *Part) Found(n *lazy.Node) Found {
	if p.found.Spot == (Spot{}) {
		return Found{}
	}
	if s, ok := p.spotOf(n); !ok || s != p.found.Spot {
		return Found{}
	}
	return p.found
}

// Busy reports whether a search for a file is under way.
func (p *Part) Busy() bool { return p.busy }

// spotOf returns the code location of a node; n may be nil.
func (p *Part) spotOf(n *lazy.Node) (s Spot, ok bool) {
	if n == nil || n.Point() == nil {
		return s, false
	}
	p.r.WithContext(func(c *format.Context) { s, ok = p.spot(c, n.Point()) })
	return s, ok
}

// spot returns the code location of a point: where a call is made, unless that is in Go's runtime, or in
// other code that was not recorded. Then it is the function that is called, if the trace tells where that is.
func (p *Part) spot(c *format.Context, at *format.Point) (s Spot, ok bool) {
	s, ok = SpotOf(c, at.Location)
	if at.Class != format.ClassCall || ok && (!s.isGo() || p.isRecorded(c, s.goPackage())) {
		return s, ok
	}
	if d, known := p.declaration(c, at.Ref); known {
		return d, true
	}
	return s, ok
}

// isRecorded reports whether the trace has methods of a Go package.
func (p *Part) isRecorded(c *format.Context, pkg string) bool {
	if p.recorded[pkg] {
		return true
	}
	yes := recordedPackage(c, pkg)
	if yes {
		if p.recorded == nil {
			p.recorded = make(map[string]bool)
		}
		p.recorded[pkg] = true
	}
	return yes
}

// mostDeclared bounds Part.declared.
const mostDeclared = 10_000

// declaration returns where a method is declared, if the trace tells.
func (p *Part) declaration(c *format.Context, method int32) (s Spot, ok bool) {
	if s, ok = p.declared[method]; ok {
		return s, true
	}
	if s, ok = declarationOf(c, method); ok {
		if p.declared == nil || len(p.declared) >= mostDeclared {
			p.declared = make(map[int32]Spot)
		}
		p.declared[method] = s
	}
	return s, ok
}

// Show looks for the source code of a node, for the details. n may be nil.
func (p *Part) Show(n *lazy.Node) tea.Cmd {
	if len(p.dirs) == 0 || p.busy {
		return nil
	}
	s, ok := p.spotOf(n)
	if !ok || s == p.found.Spot {
		return nil
	}
	return p.find(s, false)
}

// Edit opens the code location of a node in the user's editor. n may be nil.
func (p *Part) Edit(n *lazy.Node) tea.Cmd {
	s, ok := p.spotOf(n)
	switch {
	case !ok:
		p.env.Say("this row has no source location in the trace")
		return nil
	case len(p.dirs) == 0 && p.inModule(s):
	case len(p.dirs) == 0:
		p.env.Say("no source directories: start tracex with --source DIRECTORY")
		return nil
	}
	return p.find(s, true)
}

// inModule reports whether a Go source is to be looked for in the module that the current directory is
// in, as the user has named none.
func (p *Part) inModule(s Spot) bool {
	if !s.isGo() {
		return false
	}
	dir := moduleAround(".")
	if dir != "" && len(p.finder.dirs) == 0 {
		p.finder = NewFinder([]string{dir})
	}
	return dir != ""
}

// Msg is a message of a Part's work, for Update.
type Msg interface{ apply(p *Part) tea.Cmd }

// Update handles a message.
func (p *Part) Update(msg Msg) tea.Cmd { return msg.apply(p) }

func (p *Part) find(s Spot, edit bool) tea.Cmd {
	p.busy = true
	finder, life := p.finder, p.env.Life
	msg, cmd := p.env.Soon(func() tea.Msg { return located{finder.Find(life, s), edit} })
	if msg != nil {
		return p.Update(msg.(Msg))
	}
	return cmd
}

// located is the result of looking for a file.
type located struct {
	Found
	edit bool // open it
}

func (m located) apply(p *Part) tea.Cmd {
	p.found, p.busy = m.Found, false
	if !m.edit {
		return nil
	}
	if m.Err != nil {
		p.env.Fail("cannot open the source", m.Err)
		return nil
	}
	c, err := editor.Command(m.Path, m.Spot.Line)
	if err != nil {
		p.env.Fail("cannot start the editor", err)
		return nil
	}
	if m.Alike > 1 {
		p.env.Say("opened " + m.Name())
	}
	return p.env.Terminal.Lend(c, func(err error) tea.Msg { return edited{err} })
}

// edited arrives when the editor has ended.
type edited struct{ err error }

func (m edited) apply(p *Part) tea.Cmd {
	if m.err != nil {
		p.env.Fail("the editor failed", m.err)
	}
	return nil
}

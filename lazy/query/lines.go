package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// Lines is what a call itself did at each line of its source: what it called, wrote, read, threw and caught there,
// and how often its loops ran. What is in the calls that it made is not part of it. Of a loop or an iteration it is what
// that one did. Any goroutine may ask it for what has been found so far.
type Lines struct {
	r *lazy.LazyTraceReader
	o LinesOptions

	mu    sync.Mutex    // guards the fields below
	found LinesFound    // without its Lines
	list  []*sourceLine // in the order in which something happened there first
	lines map[SourceLineID]*sourceLine
	at    map[int32]*sourceLine // by code location; nil for one without a line
}

// LinesOptions tell what to find.
type LinesOptions struct {
	Raw bool
	// At is a call, a loop or an iteration, or a point in a call, which stands for the call.
	At    HistoryPoint
	Child *lazy.Position // a point in At, whose line is Here; nil for At itself, if it stands for a call
	Most  int64          // points of the call that are looked at; 0 for MostOwn
}

// MostOwn is how many points of a call are looked at, if nothing else is said.
const MostOwn = 10_000

// LinesFound is what has been found of the lines of a call.
type LinesFound struct {
	HistoryPoint        // the call, loop or iteration
	Name         string // of the call, or of the call around: Class.method
	Text         string // of the call, as a row of the tree has it, with its arguments and its result
	Args         []string

	File        string // where the function is; "" if that is not known
	Class       string // full name of the class of the function; "" if that is not known
	Import      string // import path of the Go package of the class; "" if there is no class
	First, Last int    // first and last line of the function as far as the trace names them; 0 if it names none
	Here        SourceLineID
	Lines       []SourceLine // those of File first, by their number

	Looked  int64 // points looked at
	Nowhere int64 // of these, those without a line
	Left    int64 // further points; a lower bound while Counting
	// Counting tells that Left is being counted, or cannot be, as the trace grows.
	Counting bool
	Partial  bool // the search goes on
}

// SourceLineID names a line of a file. The zero value is none.
type SourceLineID struct {
	File string
	Line int
}

// SourceLine is what a call did at a line.
type SourceLine struct {
	SourceLineID
	Events int64
	Runs   int64     // how often the line ran, as far as is known: as often as what happened most often there
	Acts   []LineAct // in the order in which each happened first
}

// LineAct is what a call did at one place of a line, once or several times: it called a method, accessed a variable, a
// field or elements, threw, caught or had a loop. What is told of it is what happened last.
type LineAct struct {
	Class      format.Class
	Text       string        // as a row of the tree has it
	Spans      []format.Span // the styles of Text
	Value      string        // the result, value or exception; "" if there is none
	Count      int64
	Threw      int64 // calls that ended by an exception
	Iterations int64 // of all loops
	Time       int64 // ns, of all calls; Timed: it is known of each
	Timed      bool
	First      HistoryPoint
	Last       HistoryPoint
}

// ErrNoLines is the error for a trace without lines of source.
var ErrNoLines = errors.New("the trace has no line numbers")

// sourceLine is a line while its acts are being found.
type sourceLine struct {
	SourceLine
	iterations int64
	acts       []*lineAct
	by         map[actKey]*lineAct
}

// actKey is what acts that count as one have in common.
type actKey struct {
	class         format.Class
	diff          format.DiffStatus
	location, ref int32
}

// lineAct is an act with buffers for its texts.
type lineAct struct {
	LineAct
	text, value []byte
	spans       []format.Span
}

// NewLines prepares to find the lines of a call.
func NewLines(r *lazy.LazyTraceReader, o LinesOptions) *Lines {
	if o.Most <= 0 {
		o.Most = MostOwn
	}
	l := &Lines{r: r, o: o}
	l.found.Partial = true
	return l
}

// Run finds the lines. What was found stays valid if ctx ends. The error is [ErrNoLines], [ErrHidden] or
// [lazy.ErrNoCall] where there is nothing to find.
func (l *Lines) Run(ctx context.Context) error {
	err := lazy.VisitOwn(ctx, l.r, lazy.OwnOptions{Raw: l.o.Raw, At: l.o.At.Position, Event: l.o.At.Event, Child: l.o.Child, Most: l.o.Most}, l)
	if folded := (*lazy.FoldedError)(nil); errors.As(err, &folded) {
		err = ErrHidden
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.Partial = err != nil
	return err
}

func (l *Lines) Begin(t *lazy.Tree, of, child *lazy.Node) (err error) {
	f := LinesFound{HistoryPoint: pointOf(of), Partial: true}
	call := of
	for !call.IsThread() && call.Point().Class != format.ClassCall {
		call = call.Parent()
	}
	if !call.IsThread() {
		f.Text = cutText(t.AppendText(nil, call, false), longestHeld)
	}
	l.r.WithContext(func(c *format.Context) {
		if !hasLines(c) {
			err = ErrNoLines
			return
		}
		if p := call.Point(); p != nil {
			f.Name, _ = c.CallName(p.Ref, p.Flags)
			for i := range p.Args {
				f.Args = append(f.Args, held(c, &p.Args[i]).Text)
			}
			f.File, f.First, f.Last = functionLines(c, p.Ref)
			if m := c.Method(p.Ref); m != nil && c.Class(m.ClassID) != nil {
				f.Class = c.Class(m.ClassID).Name
				f.Import = filter.ImportPath(c, f.Class)
			}
		}
		if child != nil {
			f.Here, _ = lineID(c, child.Point().Location)
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found, l.list, l.lines, l.at = f, nil, make(map[SourceLineID]*sourceLine), make(map[int32]*sourceLine)
	return err
}

// hasLines reports whether a trace has any line number.
func hasLines(c *format.Context) bool {
	for x := range c.Locations() {
		if x.Line > 0 {
			return true
		}
	}
	return false
}

// lineID returns the line of a code location; ok is false if it has none.
func lineID(c *format.Context, location int32) (id SourceLineID, ok bool) {
	id.File, id.Line, ok = c.FileLine(location)
	if !ok || id.Line <= 0 {
		return SourceLineID{}, false
	}
	return id, true
}

// functionLines returns the file of a method and the first and the last line of it that the trace names. Lines of
// methods of the same name in the same class cannot be told apart: they are 0 if there are several.
func functionLines(c *format.Context, method int32) (file string, first, last int) {
	m := c.Method(method)
	if m == nil || c.Class(m.ClassID) == nil {
		return "", 0, 0
	}
	class := c.Class(m.ClassID).Name
	files := make(map[string]int)
	for x := range c.Locations() {
		if name, _ := c.Text(x.Method); name != m.Name || format.PlaceClass(c, x) != class {
			continue
		}
		id, ok := lineID(c, x.ID)
		if !ok {
			continue
		}
		if files[id.File]++; id.File != file && files[id.File] > files[file] {
			file, first, last = id.File, id.Line, id.Line
		}
		if id.File == file {
			first, last = min(first, id.Line), max(last, id.Line)
		}
	}
	for x := range c.Methods() {
		if x.Name == m.Name && x.ClassID == m.ClassID && x.ID != m.ID {
			return file, 0, 0
		}
	}
	return file, first, last
}

func (l *Lines) Own(c *format.Context, p *lazy.OwnPoint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.Looked++
	line := l.lineOf(c, p.Point.Location)
	if line == nil {
		l.found.Nowhere++
		return
	}
	line.Events++
	if p.Point.Class == format.ClassIteration {
		line.iterations++
		return
	}
	line.add(c, p)
}

// lineOf returns the line of a code location; nil if it has none.
func (l *Lines) lineOf(c *format.Context, location int32) *sourceLine {
	line, seen := l.at[location]
	if seen {
		return line
	}
	if id, ok := lineID(c, location); ok {
		if line = l.lines[id]; line == nil {
			line = &sourceLine{SourceLine: SourceLine{SourceLineID: id}, by: make(map[actKey]*lineAct)}
			l.lines[id], l.list = line, append(l.list, line)
		}
	}
	l.at[location] = line
	return line
}

// add counts an act of the line.
func (x *sourceLine) add(c *format.Context, p *lazy.OwnPoint) {
	key := actKey{p.Point.Class, p.Point.Diff, p.Point.Location, p.Point.Ref}
	value := &p.Point.Value
	switch p.Point.Class {
	case format.ClassThrow, format.ClassCatch:
		key.ref = value.ClassID
	case format.ClassArrayRead, format.ClassArrayWrite, format.ClassSnapshot:
		key.ref = 0
	}
	a := x.by[key]
	at := HistoryPoint{p.Position, p.Point.Event}
	if a == nil {
		a = &lineAct{LineAct: LineAct{Class: key.class, First: at, Timed: key.class == format.ClassCall}}
		x.by[key] = a
		x.acts = append(x.acts, a)
	}
	a.Count, a.Last = a.Count+1, at
	a.text, a.spans = c.AppendSpans(a.text[:0], a.spans[:0], p.Point, p.Footer, p.Parent, false)
	a.value = a.value[:0]
	switch f := p.Footer; {
	case !key.class.Container():
		if key.class != format.ClassSnapshot {
			a.value = c.AppendValueText(a.value, value)
		}
	case f == nil:
	case key.class == format.ClassLoop:
		a.Iterations += int64(f.Iterations)
	case f.Threw || f.Exception != "":
		a.Threw++
		a.value = format.AppendPlain(a.value, f.Exception)
	case f.Result.Kind != format.ValueVoid:
		a.value = c.AppendValueText(a.value, &f.Result)
	}
	if a.Timed = a.Timed && p.Timed; a.Timed {
		a.Time += p.Time.Duration
	}
}

func (l *Lines) Left(n int64, all bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.Left, l.found.Counting = n, !all
}

// Found returns what has been found so far.
func (l *Lines) Found() LinesFound {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.found
	f.Args = slices.Clone(f.Args)
	for _, x := range l.list {
		f.Lines = append(f.Lines, x.known())
	}
	if f.File == "" {
		f.File = mostly(f.Lines)
	}
	slices.SortFunc(f.Lines, func(a, b SourceLine) int {
		if own := a.File == f.File; own != (b.File == f.File) {
			if own {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for i := range f.Lines {
		if n := f.Lines[i].Line; f.Lines[i].File == f.File {
			f.First, f.Last = min(cmp.Or(f.First, n), n), max(f.Last, n)
		}
	}
	return f
}

// mostly returns the file in which most happened, of several the one that was reached first.
func mostly(lines []SourceLine) (file string) {
	events := make(map[string]int64)
	for _, x := range lines {
		events[x.File] += x.Events
	}
	for _, x := range lines {
		if events[x.File] > events[file] {
			file = x.File
		}
	}
	return file
}

// known returns the line as it is known so far.
func (x *sourceLine) known() SourceLine {
	line := x.SourceLine
	line.Runs = x.iterations
	for _, a := range x.acts {
		act := a.LineAct
		act.Value = cutText(a.value, longestHeld)
		text := Styled{Text: cutText(a.text, longestHeld), Spans: a.spans}
		act.Text, act.Spans = text.Text, text.To(len(text.Text)).Spans
		line.Acts = append(line.Acts, act)
		line.Runs = max(line.Runs, a.Count)
	}
	return line
}

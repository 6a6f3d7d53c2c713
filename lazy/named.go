package lazy

import (
	"bytes"

	"tracex/format"
)

// Named is a trace point by all that a person can read of it: the text of its
// row, where it is in the source and, of a call, the names that paths and details
// show.
type Named struct {
	Text []byte
	At   int    // where in Text the name of the called method begins; -1: nowhere
	Call string // "Class.method", "new Class" or "super@Class", see [format.Context.CallName]; "" when it is no call
	// Class is how much of Call is about the class, in bytes.
	Class int
	// Full and FullClass are Call and Class with the class as the trace names it:
	// "org.example.Class.method". Full is "" where that is the same.
	Full      string
	FullClass int
	Source    string // "main.go:89", of the code location; "" when none is known

	other []byte
}

// Named returns a node by all that can be read of it.
func (t *Tree) Named(n *Node, verbose bool) Named {
	named := Named{At: -1}
	t.r.WithContext(func(c *format.Context) {
		if n.IsThread() {
			named.Text = appendThread(nil, c, n.thread)
			return
		}
		e := n.e.Load()
		named.of(c, &e.point, e.shownFooter(), n.parent.parentText(), verbose)
		named.name(c, &e.point)
	})
	return named
}

// of fills in the text of a point, over the one before.
func (n *Named) of(c *format.Context, p *format.Point, f *format.Footer, parent format.Parent, verbose bool) {
	n.Text, n.At = c.AppendNamed(n.Text[:0], p, f, parent, verbose)
}

// name fills in the names and the place of a point.
func (n *Named) name(c *format.Context, p *format.Point) {
	n.Source = placeOf(c, p.Location)
	n.called(&noCall)
	if p.Class == format.ClassCall {
		n.called(nameOf(c, p.Ref, p.Flags))
	}
}

// noCall is the name of what is no call.
var noCall callName

// called fills in the names of a call.
func (n *Named) called(name *callName) {
	n.Call, n.Class, n.Full, n.FullClass = name.text, name.class, name.full, name.fullClass
}

// placeOf is a code location as it is shown; "" when nothing is known of it.
func placeOf(c *format.Context, location int32) string {
	if _, _, ok := c.FileLine(location); !ok {
		return ""
	}
	return string(c.AppendLocationText(nil, location))
}

// Match reports whether find finds something in the point's text, or in what else
// there is of it: see AppendCall and AppendOther, from within the class on, as what
// comes after the class is in the text already; likewise Full and AppendFull, with a
// dot; Source, with a dot or a colon. find returns where a text matches first; from
// is negative when it does not.
func (n *Named) Match(find func(text []byte) (from, to int), limits Limits) bool {
	from, _ := find(n.Text)
	return from >= 0 || n.matchesCall(find) || n.matchesWith(find, limits) ||
		!limits.NoDot && (n.matchesFullCall(find) || matchesPlace(find, n.Source))
}

// matchesWith looks at the names together with what the text has behind them.
func (n *Named) matchesWith(find func(text []byte) (from, to int), limits Limits) bool {
	return !limits.NoParen && (n.matchesOther(find) || !limits.NoDot && !limits.OneDot && n.matchesFull(find))
}

func (n *Named) matchesCall(find func(text []byte) (from, to int)) bool {
	if n.Class == 0 {
		return false
	}
	n.other = n.AppendCall(n.other[:0])
	return n.inClass(find)
}

func (n *Named) matchesOther(find func(text []byte) (from, to int)) bool {
	if n.Class == 0 || n.covers() {
		return false
	}
	n.other = n.AppendOther(n.other[:0])
	return n.inClass(find)
}

func (n *Named) inClass(find func(text []byte) (from, to int)) bool {
	from, _ := find(n.other)
	return from >= 0 && from < n.Class
}

func (n *Named) matchesFullCall(find func(text []byte) (from, to int)) bool {
	if n.Full == "" {
		return false
	}
	n.other = append(append(n.other[:0], n.Full...), "()"...)
	return n.inFullClass(find)
}

func (n *Named) matchesFull(find func(text []byte) (from, to int)) bool {
	if n.Full == "" || n.At < 0 {
		return false
	}
	n.other = n.AppendFull(n.other[:0])
	return n.inFullClass(find)
}

// inFullClass wants a dot in what is found: all calls of a program may have the name
// of one package.
func (n *Named) inFullClass(find func(text []byte) (from, to int)) bool {
	from, to := find(n.other)
	return from >= 0 && from < n.FullClass && from < to && bytes.IndexByte(n.other[from:to], '.') >= 0
}

// matchesPlace wants a dot or a colon in what is found: the name of a file is often
// that of something else.
func matchesPlace(find func(text []byte) (from, to int), place string) bool {
	if place == "" {
		return false
	}
	text := []byte(place)
	from, to := find(text)
	return from >= 0 && from < to && bytes.ContainsAny(text[from:to], ".:")
}

// AppendCall appends the call as paths show it: "Class.method()".
func (n *Named) AppendCall(dst []byte) []byte { return append(append(dst, n.Call...), "()"...) }

// AppendOther appends the text with the class in the place of what the method
// was called on: "Class.method(1): true". It is for points with an At.
func (n *Named) AppendOther(dst []byte) []byte {
	return append(append(append(dst, n.Call[:n.Class]...), '.'), n.Text[n.At:]...)
}

// AppendFull is AppendOther with all of the class's name. It is for points with a
// Full.
func (n *Named) AppendFull(dst []byte) []byte {
	return append(append(append(dst, n.Full[:n.FullClass]...), '.'), n.Text[n.At:]...)
}

// covers reports whether the text has all that AppendOther would append.
func (n *Named) covers() bool {
	return n.At < 0 || n.At == n.Class+1 && string(n.Text[:n.Class]) == n.Call[:n.Class]
}

// finder finds one sort of thing.
type finder struct {
	find   func(text []byte) (from, to int)
	limits Limits
	names  map[calledAs]*callName
	places []verdict // by code location
	hits   []Hit     // not told yet
}

// verdict says what is known of whether something is found.
type verdict uint8

const (
	unlooked verdict = iota
	matched
	unmatched
)

// calledAs is what the name of a call depends on: its method, and the flag that
// the name shows.
type calledAs int64

func calledAsOf(p *format.Point) calledAs {
	return calledAs(p.Ref)<<2 | calledAs(p.Flags&format.FlagSuper)
}

// callName is what a finder knows of a method: the names that [Named] has, and
// whether all calls of the method match.
type callName struct {
	text      string
	class     int
	full      string
	fullClass int
	found     bool
}

func nameOf(c *format.Context, method int32, flags int16) *callName {
	name := new(callName)
	name.text, name.class = c.CallName(method, flags)
	name.full, name.fullClass = c.FullCallName(method, flags)
	return name
}

func newFinder(find func(text []byte) (from, to int), limits Limits) *finder {
	return &finder{find: find, limits: limits, names: make(map[calledAs]*callName)}
}

func (f *finder) name(c *format.Context, p *format.Point) *callName {
	of := calledAsOf(p)
	name := f.names[of]
	if name == nil {
		name = nameOf(c, p.Ref, p.Flags)
		var n Named
		n.called(name)
		name.found = n.matchesCall(f.find) || !f.limits.NoDot && n.matchesFullCall(f.find)
		f.names[of] = name
	}
	return name
}

// place reports whether what is at a code location is found by that.
func (f *finder) place(c *format.Context, location int32) bool {
	if location < 0 {
		return false
	}
	if int(location) < len(f.places) && f.places[location] != unlooked {
		return f.places[location] == matched
	}
	found := matchesPlace(f.find, placeOf(c, location))
	if location < mostPlaces {
		for int(location) >= len(f.places) {
			f.places = append(f.places, make([]verdict, 1024+len(f.places))...)
		}
		f.places[location] = unmatched
		if found {
			f.places[location] = matched
		}
	}
	return found
}

// mostPlaces bounds how many locations a finder remembers, a byte each: those of a
// trace are numbered from 0, but a damaged one may have any number.
const mostPlaces = 1 << 22

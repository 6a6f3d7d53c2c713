package walk

import (
	"bytes"
	"strings"

	"tracex/format"
)

// Named is all text of a trace point that a person can read: the text of its row, its
// location in the source, and, for a call, the names that paths and details show.
type Named struct {
	Text []byte
	At   int    // index in Text of the called method's name; -1 if absent
	Call string // "Class.method", "new Class" or "super@Class", see [format.Context.CallName]; "" if it is not a call
	// Class is the length in bytes of the part of Call that names the class.
	Class int
	// Full and FullClass are Call and Class with the full class name of the trace:
	// "org.example.Class.method". Full is "" if it equals Call.
	Full      string
	FullClass int
	Location  string         // code location, "main.go:89"; "" if not known
	Extras    []format.Extra // what a row may add to Text

	other []byte
}

// NamedPoint returns all text of a point.
func NamedPoint(c *format.Context, p *format.Point, f *format.Footer, parent format.Parent, verbose bool) (n Named) {
	n.of(c, p, f, parent, verbose)
	n.name(c, p)
	n.Extras = c.Extras(p, f, parent, verbose)
	return n
}

// of fills in the text of a point, overwriting the previous one.
func (n *Named) of(c *format.Context, p *format.Point, f *format.Footer, parent format.Parent, verbose bool) {
	n.Text, n.At = c.AppendNamed(n.Text[:0], p, f, parent, verbose)
}

// name fills in the names and the location of a point.
func (n *Named) name(c *format.Context, p *format.Point) {
	n.Location = locationText(c, p.Location)
	n.called(&noCall)
	if p.Class == format.ClassCall {
		n.called(nameOf(c, p.Ref, p.Flags))
	}
}

// noCall is the name of a point that is not a call.
var noCall callName

// called fills in the names of a call.
func (n *Named) called(name *callName) {
	n.Call, n.Class, n.Full, n.FullClass = name.text, name.class, name.full, name.fullClass
}

// locationText returns a code location as it is shown; "" if it is not known.
func locationText(c *format.Context, location int32) string {
	if _, _, ok := c.FileLine(location); !ok {
		return ""
	}
	return string(c.AppendLocationText(nil, location))
}

// Match reports whether find matches the point's text or one of its other texts. In
// AppendCall and AppendOther a match must begin within the class, since the rest is
// in the text already; the same holds for Full and AppendFull, where it must contain a
// dot. In Location it must contain a dot or a colon. find returns the first match in a
// text; from is negative if there is none.
func (n *Named) Match(find func(text []byte) (from, to int), limits Limits) bool {
	from, _ := find(n.Text)
	return from >= 0 || format.FindExtended(n.Text, n.Extras, find, !limits.NoEquals) || n.matchesCall(find) || n.matchesWith(find, limits) ||
		!limits.NoDot && (n.matchesFullCall(find) || matchesLocationText(find, n.Location))
}

// matchesWith searches the names together with the part of the text that follows them.
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

// inFullClass requires a dot in the match: all calls of a program may have the name of
// one package.
func (n *Named) inFullClass(find func(text []byte) (from, to int)) bool {
	from, to := find(n.other)
	return from >= 0 && from < n.FullClass && from < to && bytes.IndexByte(n.other[from:to], '.') >= 0
}

// matchesLocationText requires a dot or a colon in the match: the name of a file is often
// the name of something else as well.
func matchesLocationText(find func(text []byte) (from, to int), location string) bool {
	if location == "" {
		return false
	}
	text := []byte(location)
	from, to := find(text)
	return from >= 0 && from < to && bytes.ContainsAny(text[from:to], ".:")
}

// AppendCall appends the call as paths show it: "Class.method()".
func (n *Named) AppendCall(dst []byte) []byte { return append(append(dst, n.Call...), "()"...) }

// AppendOther appends the text with the class instead of the object that the method
// was called on: "Class.method(1): true". The point must have an At.
func (n *Named) AppendOther(dst []byte) []byte {
	return append(append(append(dst, n.Call[:n.Class]...), '.'), n.Text[n.At:]...)
}

// AppendFull is AppendOther with the full class name. The point must have a Full.
func (n *Named) AppendFull(dst []byte) []byte {
	return append(append(append(dst, n.Full[:n.FullClass]...), '.'), n.Text[n.At:]...)
}

// covers reports whether the text contains everything AppendOther would append.
func (n *Named) covers() bool {
	return n.At < 0 || n.At == n.Class+1 && string(n.Text[:n.Class]) == n.Call[:n.Class]
}

// finder holds one of the functions that a search matches texts with.
type finder struct {
	find      func(text []byte) (from, to int)
	limits    Limits
	names     map[calledAs]*callName
	locations []verdict // by code location
}

// verdict is whether something matches, as far as known.
type verdict uint8

const (
	untested verdict = iota
	matched
	unmatched
)

// calledAs is what the name of a call depends on: its method, and the flag that
// the name shows.
type calledAs int64

func calledAsOf(p *format.Point) calledAs {
	return calledAs(p.Ref)<<2 | calledAs(p.Flags&format.FlagSuper)
}

// callName is what a finder knows about a method: the names in [Named], and
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

// matchesLocation reports whether a code location matches.
func (f *finder) matchesLocation(c *format.Context, location int32) bool {
	if location < 0 {
		return false
	}
	if int(location) < len(f.locations) && f.locations[location] != untested {
		return f.locations[location] == matched
	}
	found := matchesLocationText(f.find, locationText(c, location))
	if location < maxLocations {
		for int(location) >= len(f.locations) {
			f.locations = append(f.locations, make([]verdict, 1024+len(f.locations))...)
		}
		f.locations[location] = unmatched
		if found {
			f.locations[location] = matched
		}
	}
	return found
}

// maxLocations limits how many locations a finder remembers, a byte each. Locations are
// numbered from 0, but a damaged trace may have any number.
const maxLocations = 1 << 22

// Limits describe what the matches of a function never contain.
type Limits struct {
	NoParen  bool // an opening parenthesis
	NoDot    bool // a dot or a colon
	OneDot   bool // two dots before a parenthesis, nor a $ or /
	NoEquals bool // an equals sign
}

// LimitsOf returns what a text does not have.
func LimitsOf(text string) Limits {
	name, _, paren := strings.Cut(text, "(")
	return Limits{NoParen: !paren, NoDot: !strings.ContainsAny(text, ".:"), OneDot: strings.Count(name, ".") < 2 && !strings.ContainsAny(name, "$/"), NoEquals: !strings.Contains(text, "=")}
}

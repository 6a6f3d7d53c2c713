package lazy

import "tracex/format"

// Named is a trace point by all that a person can read of it: the text of its
// row, and, of a call, the name that paths show.
type Named struct {
	Text []byte
	At   int    // where in Text the name of the called method begins; -1: nowhere
	Call string // "Class.method" or "new Class", see [format.Context.CallName]; "" when it is no call
	// Class is how much of Call is about the class, in bytes.
	Class int

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
		if e.point.Class == format.ClassCall {
			named.Call, named.Class = c.CallName(e.point.Ref)
		}
	})
	return named
}

// of fills in the text of a point, over the one before.
func (n *Named) of(c *format.Context, p *format.Point, f *format.Footer, parent format.Parent, verbose bool) {
	n.Text, n.At = c.AppendNamed(n.Text[:0], p, f, parent, verbose)
}

// Match reports whether find finds something in the point's text, or in what
// else a call is called, AppendCall and AppendOther, from within the class on:
// what comes after the class is in the text already. find returns where a text
// matches first; from is negative when it does not.
func (n *Named) Match(find func(text []byte) (from, to int)) bool {
	from, _ := find(n.Text)
	return from >= 0 || n.matchesCall(find) || n.matchesOther(find)
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

// AppendCall appends the call as paths show it: "Class.method()".
func (n *Named) AppendCall(dst []byte) []byte { return append(append(dst, n.Call...), "()"...) }

// AppendOther appends the text with the class in the place of what the method
// was called on: "Class.method(1): true". It is for points with an At.
func (n *Named) AppendOther(dst []byte) []byte {
	return append(append(append(dst, n.Call[:n.Class]...), '.'), n.Text[n.At:]...)
}

// covers reports whether the text has all that AppendOther would append.
func (n *Named) covers() bool {
	return n.At < 0 || n.At == n.Class+1 && string(n.Text[:n.Class]) == n.Call[:n.Class]
}

// finder finds one sort of thing.
type finder struct {
	find  func(text []byte) (from, to int)
	short bool               // nothing that it finds has an opening parenthesis
	names map[int32]callName // by method
	hits  []Hit              // not told yet
}

// callName is what a finder knows of a method.
type callName struct {
	text  string // as [format.Context.CallName] returns it, with class
	class int
	found bool // all calls of the method match
}

func newFinder(find func(text []byte) (from, to int), short bool) *finder {
	return &finder{find: find, short: short, names: make(map[int32]callName)}
}

func (f *finder) name(c *format.Context, method int32) callName {
	name, ok := f.names[method]
	if !ok {
		name.text, name.class = c.CallName(method)
		n := Named{Call: name.text, Class: name.class}
		name.found = n.matchesCall(f.find)
		f.names[method] = name
	}
	return name
}

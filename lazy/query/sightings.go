package query

import (
	"cmp"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// SightingKind is how a value was seen.
type SightingKind uint8

const (
	Written  SightingKind = iota
	WasRead               // a read point
	Seen                  // in a recorded object or array
	Receiver              // of a call; the kinds below are of objects only
	Argument
	Result
	Made // its constructor
)

func (k SightingKind) String() string {
	return [...]string{"write", "read", "sighting", "receiver", "argument", "result", "new"}[k]
}

// rank puts a constructor before what it does.
func (k SightingKind) rank() int {
	if k == Made {
		return -1
	}
	return int(k)
}

// Sighting is a value of a location at a point.
type Sighting struct {
	HistoryPoint
	Kind    SightingKind
	Place   HeldIn
	Name    string // of a field, variable or element; or of the object, where there may be several
	Value   HeldValue
	In      int32 // method of the call that it is in, or of the call that it is; -1 if there is none
	InEvent int32
	Caller  int32 // method of the call around that; -1
	Reborn  bool  // the constructor of the object ran since the value before: it may be another object
	left    bool  // a step merges or drops it

	pos int64 // order within the thread
	key int64 // order among threads
}

// sortSightings puts values in order: by key, threads, and places in them. Within a thread the order is
// that of the data, so keys are made to rise there.
func sortSightings(list []Sighting) {
	slices.SortStableFunc(list, func(a, b Sighting) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.pos, b.pos), cmp.Compare(a.Kind.rank(), b.Kind.rank()))
	})
	for i := 1; i < len(list); i++ {
		if list[i].Thread == list[i-1].Thread {
			list[i].key = max(list[i].key, list[i-1].key)
		}
	}
	slices.SortStableFunc(list, func(a, b Sighting) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Thread, b.Thread))
	})
}

// HeldIn is a single place that holds a value. Two values in equal places follow each other.
type HeldIn struct {
	Class, Hash int32 // of the object
	Ref, Index  int32 // field or variable, element
	Call        int64 // where the call of a variable begins, and its thread
	Thread      int32
}

// HeldValue is a recorded value: as text, and as a number if it is one.
type HeldValue struct {
	Text    string
	Numeric Numeric
	Int     int64
	Float   float64
}

// compare compares numbers by value, and texts, which are larger than any number, by their bytes.
func (v *HeldValue) compare(o *HeldValue) int {
	switch {
	case v.Numeric == NoNumber && o.Numeric == NoNumber:
		return strings.Compare(v.Text, o.Text)
	case v.Numeric == NoNumber || o.Numeric == NoNumber:
		return b2i(v.Numeric == NoNumber) - b2i(o.Numeric == NoNumber)
	case v.Numeric == WholeNumber && o.Numeric == WholeNumber:
		return cmp.Compare(v.Int, o.Int)
	}
	return cmp.Compare(v.Float, o.Float)
}

// Numeric tells whether a value is a number.
type Numeric uint8

const (
	NoNumber Numeric = iota
	WholeNumber
	FloatNumber
)

// longestHeld bounds the text of a value.
const longestHeld = 1 << 10

// held copies a value.
func held(c *format.Context, x *format.Value) HeldValue {
	text := c.AppendValueText(nil, x)
	if len(text) > longestHeld {
		text = append(text[:longestHeld:longestHeld], "…"...)
	}
	h := HeldValue{Text: string(text)}
	switch x.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		h.Numeric, h.Int = WholeNumber, x.Bits
		h.Float = float64(x.Bits)
	case format.ValueFloat, format.ValueDouble:
		h.Numeric, h.Float = FloatNumber, x.Float()
	}
	return h
}

func accessKind(c format.Class) SightingKind {
	if c == format.ClassFieldRead || c == format.ClassArrayRead || c == format.ClassVariableRead {
		return WasRead
	}
	return Written
}

// Order is by what the values of several threads are put in order.
type Order uint8

const (
	ByEvent   Order = iota // numbers of events: one counter for all threads
	ByMoment               // times
	PerThread              // by none: one thread after the other
)

// orderKey is the place of a point in the order.
type orderKey struct {
	thread   int32
	pos, key int64
}

// covers reports whether a value is not after the point, as far as the order tells.
func (k *orderKey) covers(s *Sighting, o Order) bool {
	if s.Thread == k.thread {
		return s.pos <= k.pos
	}
	return o == PerThread || s.key <= k.key
}

// key returns what orders a point among threads.
func (o Order) key(p *lazy.PassPoint) int64 {
	switch o {
	case ByEvent:
		return int64(p.Last())
	case ByMoment:
		if ns, ok := p.Moment(); ok {
			return ns
		}
		return -1 << 62
	}
	return 0
}

// beginning is key for a call, also when it ends: where it begins.
func (o Order) beginning(p *lazy.PassPoint) int64 {
	switch t, ok := p.Time(); {
	case o == ByEvent:
		return int64(p.Event)
	case o == PerThread:
		return 0
	case ok:
		return t.Start
	}
	return -1 << 62
}

package diff

import (
	"math"

	"tracex/format"
)

// list are the children of a content. Those of a short one stay in the lane while it is compared. Of a long one, there is a place from
// which each chunk can be read again.
type list struct {
	l     *lane
	in    content
	from  int // of a short one: its children in the lane
	n     int
	calls int64
	pos   int64 // where the next child is read
	ord   int64 // ordinal of the first cell that ends there or after it
	*chunks
}

// chunks are what is known of a long list.
type chunks struct {
	every  []checkpoint // every [chunk] children
	window []childAt    // a chunk
	number int          // of the chunk; -1 for none
}

// checkpoint is a place from which children can be read.
type checkpoint struct {
	pos, ord int64
	calls    int64 // in the children before it
}

const (
	// shortList is how many children a short list has at most, and shortLists all that are compared at a time, in one
	// of two threads: 56 bytes each.
	shortList  = 1 << 12
	shortLists = 1 << 17
	// chunk is how many children of a long list are found again at once.
	chunk = 256
)

// list begins a list.
func (l *lane) list(in content) list {
	return list{l: l, in: in, from: len(l.known), pos: in.start, ord: in.first}
}

// read reads the next child. It must be called within use.
func (x *list) read(c *format.Context) (k childAt, ok bool, err error) {
	k, calls, ok, err := x.l.read(c, x.pos, x.ord, x.in.end)
	if ok {
		k.before = x.calls
		x.pos, x.ord, x.calls = x.l.data.Next, x.l.data.After, x.calls+calls
		x.n++
	}
	return k, ok, err
}

// short reads the children, and keeps them. It returns false if they are too many, having kept none. It must be called within use.
func (x *list) short(c *format.Context) (ok bool, err error) {
	l := x.l
	for {
		k, ok, err := x.read(c)
		if !ok || err != nil {
			return true, err
		}
		if x.n > shortList || len(l.known) == shortLists {
			l.known = l.known[:x.from]
			*x = l.list(x.in)
			x.chunks = &chunks{number: -1}
			return false, nil
		}
		l.known = append(l.known, k)
	}
}

// child returns a child; one of no size at the end for that after the last one. It must be called within use.
func (x *list) child(c *format.Context, i int) (childAt, error) {
	switch {
	case i == x.n:
		return childAt{at: x.in.end, before: x.calls}, nil
	case x.chunks == nil:
		return x.l.known[x.from+i], nil
	}
	if err := x.load(c, i/chunk); err != nil {
		return childAt{}, err
	}
	k := x.window[i%chunk]
	k.before += x.every[i/chunk].calls
	return k, nil
}

// load reads a chunk again. It must be called within use.
func (x *list) load(c *format.Context, number int) error {
	if x.number == number {
		return nil
	}
	x.number, x.window = -1, x.window[:0]
	from := x.every[number]
	again := list{l: x.l, in: x.in, pos: from.pos, ord: from.ord}
	for range chunk {
		k, ok, err := again.read(c)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		x.window = append(x.window, k)
	}
	x.number = number
	return nil
}

// more reads the children of a long list that have not been read, at most most. It returns false at the end. It must be called within use.
func (x *list) more(c *format.Context, most int, visit func(childAt)) (bool, error) {
	for range most {
		if x.n%chunk == 0 {
			x.every = append(x.every[:x.n/chunk], checkpoint{x.pos, x.ord, x.calls})
		}
		k, ok, err := x.read(c)
		if !ok || err != nil {
			return false, err
		}
		visit(k)
	}
	return true, nil
}

// size32 returns the size of an item.
func size32(n int64) uint32 { return uint32(min(n, math.MaxUint32)) }

// Package eager loads a whole trace into memory, from any reader, without an index,
// and prints it. It is the simple implementation, easy to get right; package lazy is
// compared with it.
package eager

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"tracex/format"
)

// Forest is a whole trace in memory, up to the first damage. It keeps the
// encoded bytes of each point and decodes them on demand, so it takes about as much
// memory as the data file, plus 32 bytes for each point. It has no times: it is read
// from one stream, and times are in a file of their own.
//
// Several goroutines may read a Forest at a time; Forget must not run concurrently
// with any of them.
type Forest struct {
	Context *format.Context
	Threads []*Thread // by id
	// Problem is what was missing or damaged, nil if nothing: an
	// [*format.Error] with the offset. Everything before that offset is loaded.
	Problem error
}

// Load reads a whole trace front to back. From one that is cut short or
// damaged it returns the whole objects, with the fault in Problem; calls that are
// still open have the result [format.UnfinishedMethod], open loops as many
// iterations as they have. It fails only if r has no trace at all.
func Load(r io.Reader) (*Forest, error) {
	l := loader{
		forest:  new(Forest),
		threads: make(map[int32]*Thread),
	}
	s := format.NewScanner(r)
	for s.Next() {
		if l.forest.Context == nil {
			l.version = s.Version()
			l.forest.Context = format.NewContext(l.version)
		}
		o := s.Object()
		if err := l.object(&o); err != nil {
			l.forest.Problem = format.At(err, "", o.Offset)
			break
		}
	}
	if err := s.Err(); err != nil {
		if errors.Is(err, format.ErrNotTrace) || errors.Is(err, format.ErrVersion) || s.Offset() < format.HeaderSize {
			return nil, err
		}
		l.forest.Problem = err
	}
	if l.forest.Context == nil { // there is only a header
		l.forest.Context = format.NewContext(s.Version())
	}
	l.finish()
	return l.forest, nil
}

type loader struct {
	forest  *Forest
	version format.Version
	threads map[int32]*Thread
	cur     *Thread
	point   format.Point // scratch
	footer  format.Footer
}

func (l *loader) object(o *format.Object) error {
	switch o.Kind {
	case format.KindBlockStart:
		l.cur = l.threads[o.Thread]
		if l.cur == nil {
			l.cur = &Thread{ID: o.Thread, version: l.version}
			l.threads[o.Thread] = l.cur
			l.forest.Threads = append(l.forest.Threads, l.cur)
		}
	case format.KindBlockEnd, format.KindEOF:
	case format.KindTracePoint:
		// Decoded here only to check that it can be decoded.
		if _, err := l.version.DecodePoint(o.Bytes, &l.point); err != nil {
			return err
		}
		return l.cur.begin(o)
	case format.KindFooter:
		if _, err := l.version.DecodeFooter(o.Bytes, o.Class, &l.footer); err != nil {
			return err
		}
		l.cur.end(o.Bytes)
	default:
		_, _, err := l.forest.Context.Add(o.Bytes)
		return err
	}
	return nil
}

// begin adds a point below the innermost open container.
func (t *Thread) begin(o *format.Object) error {
	if t.nodes.n == math.MaxUint32 {
		return fmt.Errorf("thread %d has more than %d events: open it with its index instead", t.ID, uint32(math.MaxUint32))
	}
	i := t.nodes.n
	n := t.nodes.add()
	n.at = t.store.keep(o.Bytes)
	if len(t.open) > 0 {
		up := t.open[len(t.open)-1]
		t.nodes.at(up).last, n.up = i, up+1
	}
	if o.Class.Container() {
		t.open = append(t.open, i)
	} else {
		n.size = 1
	}
	return nil
}

// end closes the innermost open container. The footer of an iteration is empty and not
// kept.
func (t *Thread) end(footer []byte) {
	i := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	n := t.nodes.at(i)
	n.size = t.nodes.n - i
	n.foot = emptyFooter
	if len(footer) > 1 {
		n.foot = t.store.keep(footer)
	}
}

// finish sets the sizes of the containers that are still open and sorts the threads.
func (l *loader) finish() {
	for _, t := range l.forest.Threads {
		for _, i := range t.open {
			t.nodes.at(i).size = t.nodes.n - i
		}
		t.open = nil
		if name := l.forest.Context.Thread(t.ID); name != nil {
			t.Name = name.Name
		}
	}
	slices.SortFunc(l.forest.Threads, func(a, b *Thread) int { return int(int64(a.ID) - int64(b.ID)) })
}

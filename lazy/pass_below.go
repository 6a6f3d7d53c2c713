package lazy

import "tracex/format"

// Below reads the children of a container: how many points are directly in it, as shown, and
// how long the calls in it took, those in its loops included, but not what is in these
// calls. timed is false if the time of one is not known. It takes time in proportion to the
// number of children. Call it in Enter, Around or Exit.
func (p *PassPoint) Below() (kids, calls int64, timed bool, err error) {
	e, err := p.end()
	if err != nil || !e.hasContent() {
		return 0, 0, err == nil, err
	}
	w := *p.walk.walker
	x := &below{l: &childReader{walker: &w, folded: p.walk.folded, lender: new(dataPool)}, timed: true}
	err = x.add(e.start, e.end, &kids)
	if err != nil {
		p.walk.fail(err)
	}
	return kids, x.calls, x.timed, err
}

// below adds up the calls in a container.
type below struct {
	l     *childReader
	calls int64 // ns
	timed bool
}

// add adds what is between two logical offsets. kids, if not nil, counts its points.
func (x *below) add(start, end int64, kids *int64) error {
	var e nodeData
	for pos, ord := start, x.l.s.Cells.FirstEnding(start); ; pos, ord = e.next, e.after {
		ok, err := x.l.next(pos, ord, end, &e, x.l.folded)
		if !ok || err != nil {
			return err
		}
		out := &e
		if x.l.folded {
			x.l.lender.lent = 0
			if out, err = x.l.fold(&e); err != nil {
				return err
			}
		}
		if out == nil {
			continue
		}
		if kids != nil {
			*kids++
		}
		switch {
		case out.point.Class == format.ClassCall:
			t, ok := x.l.time(out)
			x.timed = x.timed && ok
			x.calls += max(0, t.Duration)
		case out.container() && out.hasContent():
			if err := x.add(out.start, out.end, nil); err != nil {
				return err
			}
		}
	}
}

// tallyEvery is how many trace points of a node there are between two tallies.
const tallyEvery = 1024

package walk

import "tracex/format"

// Below reads the children of a container: how many points are directly in it, as shown, and
// how long the calls in it took, those in its loops included, but not what is in these
// calls. timed is false if the time of one is not known. It takes time in proportion to the
// number of children. Call it in Enter, Around or Exit.
func (p *PassPoint) Below() (kids, calls int64, timed bool, err error) {
	e, err := p.end()
	if err != nil || !e.HasContent() {
		return 0, 0, err == nil, err
	}
	w := *p.walk.Walker
	x := &Below{L: &ChildReader{Walker: &w, Folded: p.walk.folded, Lender: new(DataPool)}, Timed: true}
	err = x.Add(e.Start, e.End, &kids)
	if err != nil {
		p.walk.fail(err)
	}
	return kids, x.Calls, x.Timed, err
}

// Below adds up the calls in a container.
type Below struct {
	L     *ChildReader
	Calls int64 // ns
	Timed bool
}

// Add adds what is between two logical offsets. kids, if not nil, counts its points.
func (x *Below) Add(start, end int64, kids *int64) error {
	var e NodeData
	for pos, ord := start, x.L.S.Cells.FirstEnding(start); ; pos, ord = e.Next, e.After {
		ok, err := x.L.Next(pos, ord, end, &e, x.L.Folded)
		if !ok || err != nil {
			return err
		}
		out := &e
		if x.L.Folded {
			x.L.Lender.Lent = 0
			if out, err = x.L.Fold(&e); err != nil {
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
		case out.Point.Class == format.ClassCall:
			t, ok := x.L.Time(out)
			x.Timed = x.Timed && ok
			x.Calls += max(0, t.Duration)
		case out.Container() && out.HasContent():
			if err := x.Add(out.Start, out.End, nil); err != nil {
				return err
			}
		}
	}
}

// TallyEvery is how many trace points of a node there are between two tallies.
const TallyEvery = 1024

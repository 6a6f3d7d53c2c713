package diff

import (
	"testing"

	"tracex/format"
	"tracex/lazy"
)

// oracle compares the partners in a diff of Lincheck with ours.
type oracle struct {
	t       *testing.T
	d       *storedDiff
	right   map[int32]int32                         // our partners of the left events
	status  map[format.EventMatch]format.DiffStatus // ours: unchanged or, of edited ones, DiffEditedNew
	equal   [2]int                                  // partners with equal values: Lincheck's and ours
	all     [2]int                                  // partners
	missing int
}

// TestLincheckPartners: the two traces of a diff that Lincheck made have the same partners in ours, with the same verdict
// about their values. Lincheck's partners have equal lines. It pairs iterations by their numbers, ours by what is in them: so an iteration may
// have another partner, with more that is equal.
func TestLincheckPartners(t *testing.T) {
	for name, most := range map[string]int{"diff-gson.packedtrace": 2, "diff-jackson.v27.packedtrace": 12} {
		t.Run(name, func(t *testing.T) {
			d := readStored(t, name)
			o := newOracle(t, d, d.side(t, 0), d.side(t, 1))
			for _, list := range d.roots {
				o.visit(list, false)
			}
			t.Logf("Lincheck has %d partners, %d of them equal, ours are %d and %d; %d of Lincheck's have others", o.all[0], o.equal[0], o.all[1], o.equal[1], o.missing)
			if o.missing > most {
				t.Errorf("%d of Lincheck's partners have others, want at most %d", o.missing, most)
			}
			if o.all[0] == 0 || o.all[1] < o.all[0] || o.equal[1] < o.equal[0] {
				t.Error("Lincheck has more")
			}
		})
	}
}

func newOracle(t *testing.T, d *storedDiff, a, b *lazy.LazyTraceReader) *oracle {
	r, matches, _ := writtenFull(t, ran(t, a, b, Options{}).input())
	o := &oracle{t: t, d: d, right: make(map[int32]int32), status: make(map[format.EventMatch]format.DiffStatus)}
	marks := marksOf(t, r)
	for event, m := range matches {
		if m.Left < 0 || m.Right < 0 || marks[int32(event)] == format.DiffEditedOld {
			continue
		}
		o.right[m.Left] = m.Right
		o.status[m] = marks[int32(event)]
		if o.all[1]++; o.status[m] == format.DiffUnchanged {
			o.equal[1]++
		}
	}
	return o
}

// visit checks the partners in a list. other tells that the list is in an iteration that has another partner in ours.
func (o *oracle) visit(list []*storedPoint, other bool) {
	for _, s := range list {
		within := other
		switch m := s.match; {
		case m.Left < 0 || m.Right < 0 || s.point.Diff == format.DiffEditedOld:
		default:
			if o.all[0]++; s.point.Diff == format.DiffUnchanged {
				o.equal[0]++
			}
			switch status, ok := o.status[m]; {
			case ok && status != s.point.Diff:
				o.t.Errorf("%d and %d, a %v at %s, are %v, in Lincheck's %v", m.Left, m.Right, s.point.Class, o.d.places[s.point.Location], status, s.point.Diff)
			case ok:
			case other:
				o.missing++
			default:
				right, ok := o.right[m.Left]
				if o.missing++; s.point.Class != format.ClassIteration || !ok {
					o.t.Errorf("%d and %d, a %v at %s, are no partners: %d has %d, %v", m.Left, m.Right, s.point.Class, o.d.places[s.point.Location], m.Left, right, ok)
				}
				within = true
			}
		}
		o.visit(s.kids, within)
	}
}

package calltrace

import "tracex/format"

// nested writes a track whose calls have begins and ends, and are known to be one in the other.
type nested struct{ *lanes }

func (n *nested) add(ns int64, record []byte) error {
	t := n.first().t
	r := reader{record[1:]}
	switch record[0] {
	case recordBegin:
		r.label()
		place := r.number()
		fits, err := t.beginWith(ns, place-1, r.rest)
		if !fits {
			t.buried++
		}
		return err
	case recordEnd:
		r.label()
		switch {
		case t.buried > 0:
			t.buried--
			return nil
		case t.Depth() == 0:
			n.w.left.Count(noBegin, 1, -1)
			return nil
		}
		return t.endWith(ns, r.rest)
	case recordCall:
		c := r.call()
		fits, err := t.beginWith(ns, c.location, c.header)
		if !fits || err != nil {
			return err
		}
		return t.endWith(ns, c.footer)
	}
	return t.addLeaf(r.rest)
}

// constants are parts of the trace that do not change.
type constants struct {
	callHead         [format.CallMethodAt]byte
	void, unfinished []byte // footers
}

func (e *encoder) constants() (c constants) {
	copy(c.callHead[:], e.call(nil, 0, 0, &Call{}))
	c.void, c.unfinished = e.footer(nil, &End{}), e.footer(nil, &End{Unknown: true})
	return c
}

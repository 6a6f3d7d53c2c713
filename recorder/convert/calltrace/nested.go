package calltrace

import "tracex/format"

// nested writes a track whose calls have begins and ends: they are one in the other.
type nested struct {
	*lanes
	methods []int32 // of the open calls
}

// maxNamed is how deep an end searches for the call that it names.
const maxNamed = 1 << 12

func (n *nested) add(ns int64, record []byte) error {
	t := n.first().t
	r := reader{record[1:]}
	switch record[0] {
	case recordBegin:
		method, place := r.number(), r.number()
		fits, err := t.beginWith(ns, place-1, r.rest)
		if fits {
			n.methods = append(n.methods, method)
		} else {
			t.buried++
		}
		return err
	case recordEnd:
		return n.end(t, ns, r.number()-1, r.rest)
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

// end ends the innermost call of a method.
func (n *nested) end(t *Thread, ns int64, method int32, footer []byte) error {
	if t.buried > 0 {
		t.buried--
		return nil
	}
	at := matching(n.methods, method)
	if at < 0 {
		n.w.left.count(noBegin)
		return nil
	}
	for len(n.methods) > at+1 {
		n.methods = n.methods[:len(n.methods)-1]
		if err := t.endWith(ns, n.w.unfinished); err != nil {
			return err
		}
	}
	n.methods = n.methods[:at]
	return t.endWith(ns, footer)
}

// matching returns the position of the innermost of the open calls that is of a method; -1 if there
// is none.
func matching(open []int32, method int32) int {
	for i := len(open) - 1; i >= max(0, len(open)-maxNamed); i-- {
		if method == int32(AnyMethod) || open[i] == method {
			return i
		}
	}
	return -1
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

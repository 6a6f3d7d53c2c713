package diff

import "tracex/format"

// ownMarks returns the marks of a step itself, without those of what is in it.
func (s *step) ownMarks() uint8 {
	switch {
	case s.kind == stepExit:
		return 0
	case !s.counts():
		return marked(format.DiffUnchanged)
	case s.kind == stepRemoved:
		return marked(format.DiffRemoved)
	case s.kind == stepAdded:
		return marked(format.DiffAdded)
	}
	return marked(format.DiffEditedOld) | marked(format.DiffEditedNew)
}

// remark makes the marks of containers and threads again: some differences turned out not to count.
func (s *script) remark() error {
	type open struct {
		at    int64 // number of the step
		was   uint8
		marks uint8
	}
	var around []open
	at := int64(-1)
	for x, err := range s.all() {
		if at++; err != nil {
			return err
		}
		if last := len(around) - 1; x.kind == stepExit {
			o := around[last]
			if around = around[:last]; last > 0 {
				around[last-1].marks |= o.marks
			}
			if o.marks != o.was {
				s.change(o.at, func(x *step) { x.marks = o.marks })
			}
			continue
		} else if last >= 0 {
			around[last].marks |= x.ownMarks()
		}
		if x.kind == stepThread || x.kind == stepEnter {
			around = append(around, open{at: at, was: x.marks})
		}
	}
	return s.err
}

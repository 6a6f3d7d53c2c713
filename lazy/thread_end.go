package lazy

// ThreadEnd is the end of a thread: of its last point that is in no other one.
type ThreadEnd struct {
	State     State  // whole, unless that has not ended
	Threw     bool   // it threw
	Exception string // what; "" if the trace does not tell
}

// Ends returns how some threads ended, given by their numbers. It reads the last points of each.
func (l *ThreadList) Ends(which []int) []ThreadEnd {
	ends := make([]ThreadEnd, len(which))
	for i, n := range which {
		// An error here says nothing about the others: the tree shows it.
		l.r.use(func() error {
			w, err := l.r.walkerOn(l.v, l.v.Streams[n].Thread)
			if err != nil {
				return err
			}
			thread := nodeData{end: w.s.Size, next: w.s.Size, state: StatePending, after: w.s.Cells.Len()}
			last, ok, err := w.last(&thread, true)
			if ok && err == nil {
				ends[i] = ThreadEnd{last.state, last.foot.Threw, last.foot.Exception}
			}
			return err
		})
	}
	return ends
}

package search

// Going from hit to hit.

// arrive goes to the hit that the user waits for, if it is known.
func (s *search) arrive(out *Outcome, f Facts) {
	if s.want == nil {
		return
	}
	i, wrapped, ok := s.pick(s.want)
	if !ok {
		if s.ended {
			s.want = nil
			out.say(s.nothing(f))
		}
		return
	}
	if wrapped {
		out.say(map[int]string{1: "search wrapped to the top", -1: "search wrapped to the bottom"}[s.want.dir])
	}
	s.want, s.shown = nil, i+1
	out.Goes, out.Position = true, s.hits.At(i).Position
}

// continueTo goes to a hit of the current search. If the hit is beyond the part searched, and the
// search was stopped or the trace has grown, the search begins again from w: everything is
// searched, as only that keeps the hits in order.
func (p *Part) continueTo(w *wanted, f Facts) (out Outcome) {
	s := p.cur
	s.useOther()
	if _, wrapped, ok := s.pick(w); wrapped || !ok {
		switch {
		case s.outgrown(f) || s.partly() && w.dir > 0:
			return p.begin(s.p, w, f)
		case s.partly():
			out.say("earlier events were not searched: the search stopped at " + s.work.percent())
			return out
		}
	}
	s.want = w
	s.arrive(&out, f)
	return out
}

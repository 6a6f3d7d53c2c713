package lazy

// What tests of other packages need: passes of small parts, and how a point's end was found.

func cutPass(p Pass, c passCut) Pass {
	p.cut = c
	return p
}

func cutSearch(s Search, c passCut) Search {
	s.cut = c
	return s
}

// endOfPoint returns a point with its footer; near tells that the footer follows the header.
func endOfPoint(p *PassPoint) (e *nodeData, near bool, err error) {
	near = p.ends == nil
	e, err = p.end()
	return e, near, err
}

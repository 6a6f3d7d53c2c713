package walk

// What tests of other packages need: passes of small parts, and how a point's end was found.

func CutPass(p Pass, c PassCut) Pass {
	p.cut = c
	return p
}

func CutSearch(s Search, c PassCut) Search {
	s.cut = c
	return s
}

// EndOfPoint returns a point with its footer; near tells that the footer follows the header.
func EndOfPoint(p *PassPoint) (e *NodeData, near bool, err error) {
	near = p.ends == nil
	e, err = p.end()
	return e, near, err
}

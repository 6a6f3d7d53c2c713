package query

import (
	"slices"

	"tracex/format"
	"tracex/lazy"
)

// skimVisitor is a setVisitor that does without the points that its filter cannot match. If a match
// depends on how a container ends, it decides there: that takes no search for the end.
type skimVisitor struct {
	setVisitor
	quiet  *format.Quiet
	skims  bool // in this part
	late   bool
	mixed  bool   // places may not be in order
	open   []bool // for each container that is open: whether it has been decided
	thread int32
}

func (v *skimVisitor) Begin(thread int32, around []lazy.PassFrame) {
	v.setVisitor.Begin(thread, around)
	v.thread, v.skims, v.open = thread, false, v.open[:0]
	for range around {
		v.open = append(v.open, true)
	}
}

func (v *skimVisitor) Quiet() *format.Quiet {
	if v.quiet == nil {
		v.quiet, v.late = v.m.f.Quiet(), v.m.f.Late()
	}
	v.skims = v.quiet != nil
	return v.quiet
}

func (v *skimVisitor) Passed(depth int, upto int64) {
	v.reach(v.thread, upto)
	v.open = v.open[:min(depth, len(v.open))]
	for len(v.open) < depth {
		v.open = append(v.open, !v.late)
	}
}

func (v *skimVisitor) Leaf(p *lazy.PassPoint) {
	v.reach(p.Thread, p.At+1)
	v.add(p)
}

func (v *skimVisitor) Enter(p *lazy.PassPoint) {
	if !v.skims {
		v.setVisitor.Enter(p)
		return
	}
	v.reach(p.Thread, p.At+1)
	if !v.late {
		v.add(p)
	}
	v.open = append(v.open[:p.Depth], !v.late)
}

func (v *skimVisitor) Exit(p *lazy.PassPoint) {
	if !v.skims {
		v.setVisitor.Exit(p)
		return
	}
	v.End(p)
	v.open = v.open[:p.Depth]
}

func (v *skimVisitor) End(p *lazy.PassPoint) {
	if v.skims && !v.open[p.Depth] {
		v.mixed = true
		v.add(p)
	}
}

// sort puts the places in order, after the last visit.
func (v *skimVisitor) sort() {
	if v.mixed {
		for _, t := range v.found {
			slices.Sort(t.at)
		}
	}
}

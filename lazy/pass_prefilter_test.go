package lazy

import (
	"fmt"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// ofInterest reports whether the skipping part below wants to see a point.
func ofInterest(class format.Class, ref int32) bool {
	switch class {
	case format.ClassCall:
		return ref%5 == 1
	case format.ClassFieldRead, format.ClassFieldWrite:
		return ref%3 == 1
	}
	return false
}

// interestListing is a passListing of the points of interest.
type interestListing struct {
	passListing
	skips   bool
	changed bool // see PassWalk
}

// interestPart is the visitor of an interestListing. It fails if it is not told what was passed.
type interestPart struct {
	listedPart
	l       *interestListing
	changed bool
}

func (l *interestListing) Visitor() Visitor {
	v := &interestPart{listedPart: listedPart{l: &l.passListing}, l: l}
	if l.skips {
		return &skippingPart{v}
	}
	return v
}

func (l *interestListing) Merge(v Visitor) error {
	if s, ok := v.(*skippingPart); ok {
		v = s.interestPart
	}
	part := v.(*interestPart)
	l.changed = l.changed || part.changed
	return l.passListing.Merge(&part.listedPart)
}

func (v *interestPart) Begins(int32, int64) {}

func (v *interestPart) Ended(x *walk.PassWalk) { v.changed = v.changed || x.Changed }

func (v *interestPart) Leaf(p *PassPoint) {
	if ofInterest(p.Class, p.Ref) {
		v.listedPart.Leaf(p)
	}
}

func (v *interestPart) Enter(p *PassPoint) {
	if ofInterest(p.Class, p.Ref) {
		v.listedPart.Enter(p)
	} else {
		v.open = append(v.open, "")
	}
}

func (v *interestPart) Exit(p *PassPoint) {
	if ofInterest(p.Class, p.Ref) {
		v.listedPart.Exit(p)
	} else {
		v.open = v.open[:p.Depth]
	}
}

// skippingPart is an interestPart that does without other points.
type skippingPart struct{ *interestPart }

func (v *skippingPart) Prefilter() *format.Prefilter {
	const most = 1 << 12
	c := v.l.r.r.Ctx
	q := format.NewPrefilter(c.Version(), func(format.ValueKind) bool { return true })
	q.Text = func([]byte) bool { return true }
	q.Loops, q.Iterations = true, true
	q.Locations = format.SkipIDs{format.SkipNames}
	for id := range int32(most) {
		fold := uint8(0)
		if c.MayFold(id) {
			fold = format.SkipFold
		}
		skip := func(class format.Class) uint8 {
			if ofInterest(class, id) || c.Coverage(&format.Point{Class: class, Ref: id}) {
				return 0
			}
			return format.SkipNames
		}
		method := skip(format.ClassCall) | fold
		q.Methods, q.SuperCalls = append(q.Methods, method), append(q.SuperCalls, method)
		q.Fields = append(q.Fields, skip(format.ClassFieldRead))
		q.Variables = append(q.Variables, skip(format.ClassVariableRead))
		q.Classes = append(q.Classes, format.SkipNames)
		at := format.SkipNames
		if c.Coverage(&format.Point{Class: format.ClassArrayRead, Location: id}) {
			at |= format.SkipFold
		}
		q.Locations = append(q.Locations, at)
	}
	return q
}

func (v *skippingPart) Passed(depth int, _ int64) {
	v.open = v.open[:min(depth, len(v.open))]
	for len(v.open) < depth {
		v.open = append(v.open, "")
	}
}

// TestPassPrefilter: a visitor that does without some points sees all the others, as one that visits
// every point does.
func TestPassPrefilter(t *testing.T) {
	check := func(t *testing.T, path string) {
		r := ready(t, path, Options{NoWrite: true})
		size, _ := r.Size()
		for _, raw := range []bool{false, true} {
			var want *interestListing
			for i, c := range passCuts {
				if size/c.Bytes > mostShares/2 || i == 2 || formattest.Race && i%2 == 1 {
					continue
				}
				for _, skips := range []bool{false, true} {
					if want != nil && !skips {
						continue
					}
					l := &interestListing{passListing: passListing{t: t, r: r}, skips: skips}
					if err := r.Pass(t.Context(), walk.CutPass(Pass{Raw: raw, Collect: []Collector{l}}, c)); err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want = l
						continue
					}
					formattest.SameText(t, l.out.Bytes(), want.out.Bytes())
					if l.changed != want.changed {
						t.Errorf("raw %v, cut %+v: changed %v, want %v", raw, c, l.changed, want.changed)
					}
				}
			}
		}
	}
	corpus(t, check)
	for _, shape := range []formattest.Shape{formattest.Deep, formattest.Wide, formattest.Threads, formattest.Calls} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec := formattest.Spec{Shape: shape, N: 1000, Seed: 5, Options: formattest.Options{Version: version, BlockSize: 3000}}
			t.Run(spec.Name(), func(t *testing.T) {
				t.Parallel()
				check(t, formattest.File(t, spec))
			})
		}
	}
	for i, story := range loopStories {
		t.Run(fmt.Sprintf("loops/%d", i), func(t *testing.T) {
			b := formattest.NewBuilder(t)
			b.Thread(1)
			for range 5 {
				b.Method("demo.Unseen", "plain", formattest.IntType)
			}
			x := &loops{b: b, shown: b.Method("demo.Loud", "shown", formattest.IntType)}
			for x.shown%5 != 1 {
				x.shown = b.Method("demo.Loud", fmt.Sprint("shown", x.shown), formattest.IntType)
			}
			b.Call(-1, x.shown, func() {
				story(x)
				b.Call(-1, x.shown, nil)
			})
			for range 5 { // a point shorter than some bytes is not passed near the end
				b.Call(-1, x.shown+4, nil)
			}
			check(t, b.File())
		})
	}
}

// loops writes loops of which the folded view does not show all.
type loops struct {
	b     *formattest.Builder
	shown int32
}

func (x *loops) loop(iterations int32, within ...func()) {
	x.b.Point(&format.Point{Class: format.ClassLoop, Diff: format.DiffNone, Location: -1})
	for i, f := range within {
		x.b.Point(&format.Point{Class: format.ClassIteration, Diff: format.DiffNone, Location: -1, Number: int32(i)})
		if f != nil {
			f()
		}
		x.b.Footer(format.ClassIteration, &format.Footer{})
	}
	x.b.Footer(format.ClassLoop, &format.Footer{Iterations: iterations})
}

func (x *loops) call() { x.b.Call(-1, x.shown, nil) }

func (x *loops) unseen() {
	x.b.Call(-1, 0, func() { x.b.Call(-1, 2, nil) })
}

var loopStories = []func(x *loops){
	func(x *loops) { x.loop(2, x.unseen, nil); x.call() },
	func(x *loops) { x.loop(1, nil); x.loop(0); x.unseen() },
	func(x *loops) { x.loop(0, x.call, x.unseen); x.call() }, // not shown, with something in it
	func(x *loops) { x.loop(0, x.unseen) },
	func(x *loops) { // an access to what coverage keeps is not shown
		at := x.b.Location(1, x.b.Variable("__$hits$__"))
		x.b.Point(&format.Point{Class: format.ClassArrayRead, Diff: format.DiffNone, Location: at, Target: format.Null(), Value: formattest.IntValue(1)})
	},
	func(x *loops) {
		x.loop(2, func() { x.loop(0, x.unseen, func() { x.loop(2, x.call, nil) }); x.unseen() }, func() { x.loop(1, x.call) })
	},
	func(x *loops) {
		x.loop(3, x.call, x.unseen, nil)
		x.loop(1, func() { x.loop(1, func() { x.loop(0, x.unseen, x.call) }) })
	},
}

package dataset

import (
	"bytes"
	"math/bits"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/export"
	"tracex/lazy/query"
)

// plain makes the rows of the calls of a thread from the forest that its trace was generated from.
type plain struct {
	c      *format.Context
	thread int32
	calls  []callRow
	next   int64
}

// points adds a point and all below it, and returns how many they are and the shapes of the outermost calls.
func (p *plain) points(n *formattest.Node, around *callRow, path uint64) (count int64, shapes []uint64) {
	count = 1
	if n.Point.Class != format.ClassCall {
		for _, k := range n.Children {
			c, s := p.points(k, around, path)
			count += c
			shapes = append(shapes, s...)
		}
		return count, shapes
	}
	r := callRow{Thread: p.thread + 1, Event: n.Point.Event, First: p.next}
	p.next++
	if around != nil {
		r.Parent, r.Depth, r.Caller = &around.Event, around.Depth+1, &around.Method
	}
	name, _ := p.c.CallName(n.Point.Ref, 0)
	r.Method = name
	class, parameters := "", ""
	if m := p.c.Method(n.Point.Ref); m != nil {
		if d := p.c.Class(m.ClassID); d != nil {
			class = d.Name
		}
		for i, t := range m.Args {
			if i > 0 {
				parameters += ", "
			}
			parameters += t.String()
		}
	}
	r.Parameters = parameters
	method := hashMethod(class, name, parameters)
	path = mix(path*pathFactor + method)
	r.Path = int64(path)
	at := len(p.calls)
	p.calls = append(p.calls, r)
	var in []uint64
	for _, k := range n.Children {
		c, s := p.points(k, &r, path)
		count += c
		in = append(in, s...)
	}
	done := &p.calls[at]
	done.Last, done.Points = p.next-1, count
	done.Calls = done.Last - done.First
	sum := uint64(0)
	for _, s := range in { // modulo 2^61 - 1
		high, low := bits.Mul64(sum, shapeFactor)
		_, sum = bits.Div64(high%modulus, low, modulus)
		sum = (sum + s%modulus) % modulus
	}
	shape := mix(method + mix(sum+shapeStep*uint64(len(in))))
	done.Shape = int64(shape)
	return count, []uint64{shape}
}

// TestPlain: the tree that is written is the one that was generated.
func TestPlain(t *testing.T) {
	for _, spec := range generated() {
		if spec.Crash != formattest.CrashNone {
			continue
		}
		t.Run(spec.Name(), func(t *testing.T) {
			var data, index bytes.Buffer
			_, forest, err := formattest.GenerateForest(&data, &index, spec)
			if err != nil {
				t.Fatal(err)
			}
			r := opened(t, formattest.File(t, spec))
			j := job(t, r, export.Options{Scope: query.Scope{Raw: true}})
			j.CutAt(700)
			dir := t.TempDir()
			written(t, j, dir, Options{limits: tiny})
			got := ordered(rowsOf[callRow](t, dir, "calls"))
			var want []callRow
			next := int64(0)
			for _, tree := range forest.Trees {
				p := &plain{thread: tree.Thread, next: next}
				r.WithContext(func(c *format.Context) {
					p.c = c
					for _, n := range tree.Roots {
						p.points(n, nil, 0)
					}
				})
				want, next = append(want, p.calls...), p.next
			}
			if len(got) != len(want) || len(want) == 0 {
				t.Fatalf("%d calls, want %d", len(got), len(want))
			}
			for i := range want {
				g, w := &got[i], &want[i]
				short := callRow{
					Thread: g.Thread, Event: g.Event, Parent: g.Parent, First: g.First, Last: g.Last, Depth: g.Depth, Method: g.Method,
					Parameters: g.Parameters, Caller: g.Caller, Points: g.Points, Calls: g.Calls, Path: g.Path, Shape: g.Shape,
				}
				if text(&short) != text(w) {
					t.Fatalf("call %d is\n%s, want\n%s", i, text(&short), text(w))
				}
			}
		})
	}
}

// TestHashes: hashes are in files; other versions of the program must make the same.
func TestHashes(t *testing.T) {
	m := hashMethod("com.shop.Account", "Account.withdraw", "int, java.lang.String")
	p := hashPath(hashPath(0, m), m)
	var all, first, rest children
	for i, s := range []uint64{1, m, p, 1<<64 - 1, modulus} {
		all.add(s)
		if i < 2 {
			first.add(s)
		} else {
			rest.add(s)
		}
	}
	first.join(rest)
	if first != all {
		t.Errorf("parts joined are %+v, all at once %+v", first, all)
	}
	none := children{}
	if first.join(none); first != all {
		t.Error("nothing more changes children")
	}
	got := [...]uint64{m, p, hashShape(m, children{}), hashShape(m, all)}
	want := [4]uint64{0x65e79597553a8b10, 0x8809391330f79406, 0x9161b36d906af56, 0xfc7acca6631841a1}
	if got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}

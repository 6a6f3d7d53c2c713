package lazy

import (
	"fmt"
	"testing"

	"tracex/format/formattest"
)

// BenchmarkShown measures a screen of a tree that shows one in a thousand of very many children, or
// threads: at the beginning and at the end, loaded and counted.
func BenchmarkShown(b *testing.B) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.WideCalls, N: 1_000_000, Seed: 1},
		{Shape: formattest.Goroutines, N: 1_000_000, Seed: 1},
	} {
		name := "children"
		if spec.Shape == formattest.Goroutines {
			name = "threads"
		}
		b.Run(fmt.Sprintf("%s-%d", name, spec.N), func(b *testing.B) {
			r := ready(b, formattest.File(b, spec), Options{NoWrite: true})
			p := &everyPlace{somePlaces{at: make(map[int32][]int64), all: true}}
			tree := r.Tree(true)
			if spec.Shape == formattest.Goroutines {
				for i := 500; i < tree.ThreadCount(); i += 1000 {
					id := tree.ThreadAt(i).Thread()
					p.ids = append(p.ids, id)
					first, err := tree.Child(b.Context(), tree.ThreadAt(i), 0)
					if err != nil {
						b.Fatal(err)
					}
					p.at[id] = []int64{first.Position().At}
				}
			} else {
				root, err := tree.Child(b.Context(), tree.ThreadAt(0), 0)
				if err != nil {
					b.Fatal(err)
				}
				for i := int64(500); i < int64(spec.N); i += 1000 {
					list, err := tree.Range(b.Context(), root, i, 1)
					if err != nil {
						b.Fatal(err)
					}
					if len(list) == 0 {
						break
					}
					p.at[0] = append(p.at[0], list[0].Position().At)
				}
				p.ids = []int32{0}
			}
			if len(p.ids) == 0 || len(p.at[p.ids[0]]) == 0 {
				b.Fatal("no places")
			}
			tree = r.Tree(true)
			b.ResetTimer()
			for range b.N {
				ShownIn(tree).Only(p)
				top, _ := tree.First()
				screenful(b, tree, top)
				last, ok := tree.Last()
				for range 39 {
					if last.Gap() {
						if err := tree.Load(b.Context(), last, AtEnd); err != nil {
							b.Fatal(err)
						}
						last, ok = tree.Last()
						continue
					}
					up, more := tree.Prev(last)
					if !more {
						break
					}
					last = up
				}
				if !ok {
					b.Fatal("no last row")
				}
				screenful(b, tree, last)
			}
		})
	}
}

// everyPlace finds threads by search: very many are listed.
type everyPlace struct{ somePlaces }

func (p *everyPlace) index(id int32) int {
	lo, hi := 0, len(p.ids)
	for lo < hi {
		if mid := (lo + hi) / 2; p.ids[mid] < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func (p *everyPlace) NextThread(id int32) (int32, bool) {
	if i := p.index(id); i < len(p.ids) {
		return p.ids[i], true
	}
	return 0, false
}

func (p *everyPlace) PrevThread(id int32) (int32, bool) {
	i := p.index(id)
	if i < len(p.ids) && p.ids[i] == id {
		return id, true
	}
	if i == 0 {
		return 0, false
	}
	return p.ids[i-1], true
}

// screenful shows forty rows, with what is missing there.
func screenful(b *testing.B, tree *Tree, top Row) {
	for again := true; again; {
		again = false
		rows := tree.Rows(tree.Resolve(top), 40)
		tree.Lines(rows, false)
		for _, r := range rows {
			if r.Gap() {
				if err := tree.Load(b.Context(), r, AtStart); err != nil {
					b.Fatal(err)
				}
				again = true
				break
			}
		}
	}
}

package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format/formattest"
)

// child returns the item that a number stands for: n/100 its symbol, n/10 its structure, n its value. Odd symbols are leaves.
func child(n int) item {
	x := item{v: scatter(uint64(n)), s: uint32(n/10) + 1000, k: uint32(n/100) + 5000, size: 3}
	if n/100%2 == 1 {
		x.s, x.size = x.k, 0
	}
	return x
}

func children(list ...int) []item {
	items := make([]item, len(list))
	for i, n := range list {
		items[i] = child(n)
	}
	return items
}

// checkAlign tells what is wrong with an alignment of two lists in general, and with that of b and a.
func checkAlign(a, b []item) ([]stretch, error) {
	list := align(a, b)
	atA, atB := 0, 0
	for i, s := range list {
		if s.n <= 0 || s.a != atA || s.b != atB {
			return list, fmt.Errorf("stretch %d begins at %d and %d after %d and %d", i, s.a, s.b, atA, atB)
		}
		if i > 0 && (list[i-1].how == s.how || list[i-1].how == added && s.how == removed) {
			return list, fmt.Errorf("stretch %d must not follow its neighbour", i)
		}
		for k := range s.n {
			if s.how == equal && a[s.a+k].v != b[s.b+k].v {
				return list, fmt.Errorf("stretch %d: child %d is not equal", i, k)
			}
			if s.how == paired && (a[s.a+k].v == b[s.b+k].v || a[s.a+k].k != b[s.b+k].k) {
				return list, fmt.Errorf("stretch %d: child %d is no such partner", i, k)
			}
		}
		if s.how != added {
			atA += s.n
		}
		if s.how != removed {
			atB += s.n
		}
	}
	if atA != len(a) || atB != len(b) {
		return list, fmt.Errorf("ends at %d and %d of %d and %d", atA, atB, len(a), len(b))
	}
	if m := mirrorStretches(align(b, a)); !slices.Equal(m, list) {
		return list, fmt.Errorf("turned round: %v", m)
	}
	return list, nil
}

func mirrorStretches(list []stretch) []stretch {
	var m []stretch
	for i := 0; i < len(list); i++ {
		s := list[i]
		if s.how == removed && i+1 < len(list) && list[i+1].how == added {
			r := list[i+1]
			m = append(m, stretch{removed, s.b, s.a, r.n}, stretch{added, s.b + r.n, s.a, s.n})
			i++
			continue
		}
		switch s.how {
		case removed:
			s.how = added
		case added:
			s.how = removed
		}
		m = append(m, stretch{s.how, s.b, s.a, s.n})
	}
	// Here B is the first list.
	return m
}

// worth is the weight of an alignment.
func worth(a, b []item, list []stretch) int {
	sum := 0
	for _, s := range list {
		if s.how == equal || s.how == paired {
			for k := range s.n {
				sum += worthOf(&a[s.a+k], &b[s.b+k])
			}
		}
	}
	return sum
}

func worthOf(a, b *item) int {
	if a.leaf() || b.leaf() {
		return weight(a, b, rankLeaf)
	}
	return weight(a, b, rankBig)
}

// bestWorth tries all alignments.
func bestWorth(a, b []item) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	best := max(bestWorth(a[1:], b), bestWorth(a, b[1:]))
	if w := worthOf(&a[0], &b[0]); w > 0 {
		best = max(best, w+bestWorth(a[1:], b[1:]))
	}
	return best
}

// tableWorth is bestWorth for longer lists.
func tableWorth(a, b []item) int {
	row := make([]int, len(b)+1) // for a[i:], from the end of b
	for i := len(a) - 1; i >= 0; i-- {
		below := slices.Clone(row)
		for j := len(b) - 1; j >= 0; j-- {
			row[j] = max(below[j], row[j+1])
			if w := worthOf(&a[i], &b[j]); w > 0 {
				row[j] = max(row[j], w+below[j+1])
			}
		}
	}
	return row[0]
}

func TestAlignSmallExhaustive(t *testing.T) {
	alphabet := []int{0, 1, 10, 100, 101, 200}
	var lists [][]item
	most := 3
	if formattest.Race {
		most = 2
	}
	for n := range most + 1 {
		total := 1
		for range n {
			total *= len(alphabet)
		}
		for code := range total {
			var list []int
			for range n {
				list, code = append(list, alphabet[code%len(alphabet)]), code/len(alphabet)
			}
			lists = append(lists, children(list...))
		}
	}
	for _, a := range lists {
		for _, b := range lists {
			list, err := checkAlign(a, b)
			if err == nil && worth(a, b, list) != bestWorth(a, b) {
				err = fmt.Errorf("is worth %d, not %d", worth(a, b, list), bestWorth(a, b))
			}
			if err != nil {
				t.Fatalf("%v\n%v\n%v: %v", a, b, list, err)
			}
		}
	}
}

func TestAlignOrder(t *testing.T) {
	tests := []struct {
		name string
		a, b []int
		want []stretch
	}{
		{"nothing", nil, nil, nil},
		{"one added at the start", []int{0, 1, 2, 3}, []int{9, 0, 1, 2, 3}, []stretch{{added, 0, 0, 1}, {equal, 0, 1, 4}}},
		{"one changed", []int{0, 1, 2}, []int{0, 9, 2}, []stretch{{equal, 0, 0, 1}, {paired, 1, 1, 1}, {equal, 2, 2, 1}}},
		{"one removed, one changed", []int{0, 11, 22, 33}, []int{0, 22, 34}, []stretch{{equal, 0, 0, 1}, {removed, 1, 1, 1}, {equal, 2, 1, 1}, {paired, 3, 2, 1}}},
		{"a leaf must not part containers", []int{101, 5}, []int{25, 101}, []stretch{{removed, 0, 0, 1}, {paired, 1, 0, 1}, {added, 2, 1, 1}}},
		{"other symbols", []int{0, 1}, []int{200, 400, 600}, []stretch{{removed, 0, 0, 2}, {added, 2, 0, 3}}},
	}
	for _, tt := range tests {
		a, b := children(tt.a...), children(tt.b...)
		list, err := checkAlign(a, b)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if !slices.Equal(list, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, list, tt.want)
		}
	}
}

// editNumbers makes about n changes in a list of numbers.
func editNumbers(r *rand.Rand, list []int, n, alphabet int) []int {
	list = slices.Clone(list)
	for range n {
		i := r.IntN(len(list) + 1)
		switch {
		case r.IntN(3) == 0 || i == len(list):
			list = slices.Insert(list, i, r.IntN(alphabet))
		case r.IntN(2) == 0:
			list = slices.Delete(list, i, i+1)
		default:
			list[i] = r.IntN(alphabet)
		}
	}
	return list
}

func randomNumbers(r *rand.Rand, n, alphabet int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = r.IntN(alphabet)
	}
	return list
}

// TestAlignRandom goes through all stages: lists of some hundred are no longer solved at once.
func TestAlignRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 33))
	rounds := 200
	if formattest.Race {
		rounds = 20
	}
	for round := range rounds {
		alphabet := []int{2, 30, 300, 3000, 1 << 30}[round%5]
		x := randomNumbers(r, r.IntN(1500), alphabet)
		edits := []int{1, 20, 200, 1000}[round/5%4]
		a, b := children(x...), children(editNumbers(r, x, edits, alphabet)...)
		list, err := checkAlign(a, b)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		got, best := worth(a, b, list), tableWorth(a, b)
		if got*20 < best*17 {
			t.Errorf("round %d: is worth %d of %d", round, got, best)
		}
		same := 0
		for _, s := range list {
			if s.how == equal {
				same += s.n
			}
		}
		if edits == 1 && same < len(a)-1 {
			t.Errorf("round %d: %d of %d are equal after one change", round, same, len(a))
		}
	}
}

func FuzzAlign(f *testing.F) {
	f.Add([]byte{0, 1, 2}, []byte{1, 2, 110}, uint16(1))
	f.Fuzz(func(t *testing.T, x, y []byte, times uint16) {
		var a, b []int
		for range times%300 + 1 {
			for _, n := range x {
				a = append(a, int(n))
			}
		}
		for range times%300 + 1 {
			for _, n := range y {
				b = append(b, int(n))
			}
		}
		if len(a)+len(b) > 20000 {
			return
		}
		if list, err := checkAlign(children(a...), children(b...)); err != nil {
			t.Fatalf("%v: %v", list, err)
		}
	})
}

// TestAlignWork counts comparisons: nothing may take more than a fixed number for each child.
func TestAlignWork(t *testing.T) {
	n := 30_000
	if formattest.Race {
		n = 3000
	}
	for i, s := range shapes {
		a, b := s.make(n)
		head, tail := ends(a, b)
		x, y := a[head:len(a)-tail], b[head:len(b)-tail]
		g := newAligner(x, y)
		budget := g.budget
		g.all()
		myers, exact, total := budget-g.budget, g.exact.cells, len(x)+len(y)
		if most := budget + 2*editCap*4; myers > most {
			t.Errorf("%s: %d comparisons, not more than %d", s.name, myers, most)
		}
		if most := 2*windowSize*total + exactWhole; exact > most {
			t.Errorf("%s: %d pairs were tried, not more than %d", s.name, exact, most)
		}
		if i < 2 && myers+exact > 3*total+1000 {
			t.Errorf("%s: %d comparisons of %d children", s.name, myers+exact, total)
		}
		if i >= 2 {
			if _, err := checkAlign(a, b); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			continue
		}
		if allocations := testing.AllocsPerRun(1, func() { align(a, b) }); allocations > 30 {
			t.Errorf("%s: %v allocations", s.name, allocations)
		}
		if list := align(a, b); len(list) != i+2 || list[0] != (stretch{added, 0, 0, 1}) || list[1] != (stretch{equal, 0, 1, n}) {
			t.Errorf("%s: %v", s.name, list)
		}
	}
}

package diff

import "tracex/format"

// Lines calls visit with the lines of two texts in order, those that both have once: DiffUnchanged, DiffRemoved or DiffAdded. What
// is removed comes before what is added in its place.
func Lines(a, b [][]byte, visit func(s format.DiffStatus, line []byte)) {
	items := func(lines [][]byte) []item {
		list := make([]item, len(lines))
		for i, line := range lines {
			v := hashBytes(line)
			list[i] = item{v: v, s: uint32(v), k: uint32(v >> 32)}
		}
		return list
	}
	each := func(s format.DiffStatus, lines [][]byte) {
		for _, line := range lines {
			visit(s, line)
		}
	}
	for _, s := range align(items(a), items(b)) {
		switch s.how {
		case equal:
			each(format.DiffUnchanged, b[s.b:s.b+s.n])
		case removed:
			each(format.DiffRemoved, a[s.a:s.a+s.n])
		case added:
			each(format.DiffAdded, b[s.b:s.b+s.n])
		case paired: // of lines that differ no two have one key, but by chance
			each(format.DiffRemoved, a[s.a:s.a+s.n])
			each(format.DiffAdded, b[s.b:s.b+s.n])
		}
	}
}

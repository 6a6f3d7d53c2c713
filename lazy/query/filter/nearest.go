package filter

import (
	"iter"
	"slices"
	"strings"
)

// nearest returns up to three names that are spelled most like name, the nearest first. Case does
// not count. Names that have little in common with it are left out.
func nearest(name string, names iter.Seq[string]) []string {
	type near struct {
		name     string
		distance int
	}
	var best []near
	want := strings.ToLower(name)
	limit := min(max(1, len(want)/3), len(want)-1, 5)
	var rows [3][]int
	for candidate := range names {
		if len(best) == 3 {
			limit = min(limit, best[2].distance)
		}
		d := limit + 1
		low := strings.ToLower(candidate)
		if len(want) >= 3 && strings.Contains(low, want) {
			d = min(limit, 1+(len(low)-len(want))/4)
		}
		if diff := len(low) - len(want); diff <= limit && -diff <= limit {
			d = min(d, distance(want, low, limit, &rows))
		}
		if d > limit || len(best) == 3 && d > best[2].distance {
			continue
		}
		if slices.ContainsFunc(best, func(n near) bool { return n.name == candidate }) {
			continue
		}
		best = append(best, near{candidate, d})
		slices.SortFunc(best, func(a, b near) int {
			if a.distance != b.distance {
				return a.distance - b.distance
			}
			return strings.Compare(a.name, b.name)
		})
		best = best[:min(len(best), 3)]
	}
	var out []string
	for _, n := range best {
		out = append(out, n.name)
	}
	return out
}

// distance returns how many insertions, deletions, changes and swaps of neighboring bytes turn a
// into b, or more than limit if there are more. rows is memory for it.
func distance(a, b string, limit int, rows *[3][]int) int {
	for i := range rows {
		if len(rows[i]) < len(b)+1 {
			rows[i] = make([]int, 2*len(b)+1)
		}
	}
	before, last, row := rows[0], rows[1], rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return least // no row below has less
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

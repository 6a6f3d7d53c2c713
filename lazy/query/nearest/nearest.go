// Package nearest finds the names that are spelled most like a misspelled one.
package nearest

import (
	"iter"
	"math"
	"slices"
	"strings"
)

// Alike returns up to three names that are spelled most like name, the nearest first. Case does
// not count. Names that have little in common with it are left out.
func Alike(name string, names iter.Seq[string]) []string {
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
			if row := edits(want, low, limit, &rows); row != nil {
				d = min(d, row[len(low)])
			}
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

// Typed returns the n names that are most like a word that a user typed, perhaps not to its end: the
// nearest first, and of those that are as near, the one that comes first. also, if not nil, returns
// other spellings of a name.
func Typed(word string, names []string, also func(name string) []string, n int) []string {
	type near struct {
		name     string
		distance int
	}
	var all []near
	var rows [3][]int
	for _, name := range names {
		best := typed(word, name, &rows)
		if also != nil {
			for _, other := range also(name) {
				best = min(best, typed(word, other, &rows))
			}
		}
		all = append(all, near{name, best})
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.distance - b.distance })
	var out []string
	for _, near := range all[:min(n, len(all))] {
		out = append(out, near.name)
	}
	return out
}

// typed returns how far a word is from a name: 4 for each edit, and 1 for each letter that is missing
// at the end, but at most 3. A name that contains the word is as near as after one edit.
func typed(word, name string, rows *[3][]int) int {
	word, name = strings.ToLower(word), strings.ToLower(name)
	best := math.MaxInt
	if word != "" && strings.Contains(name, word) {
		best = 4
	}
	for j, d := range edits(word, name, max(len(word), len(name)), rows) {
		best = min(best, 4*d+min(len(name)-j, 3))
	}
	return best
}

// Within reports whether at most limit insertions, deletions, changes and swaps of neighboring bytes
// turn a word into another.
func Within(word, other string, limit int) bool {
	row := edits(word, other, limit, new([3][]int))
	return row != nil && row[len(other)] <= limit
}

// edits returns how many insertions, deletions, changes and swaps of neighboring bytes turn a into
// the beginnings of b, b[:0] first; nil if none takes as few as limit. The result is valid until
// rows, memory for it, is used again.
func edits(a, b string, limit int, rows *[3][]int) []int {
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
			return nil // no row below has less
		}
		before, last, row = last, row, before
	}
	return last[:len(b)+1]
}

package config

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest names the three names most like a misspelled one, the nearest first.
func Nearest(word string, names []string) string {
	near := slices.Clone(names)
	word = strings.ToLower(word)
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	return joined(near[:min(3, len(near))])
}

func joined(names []string) string { return strings.Join(names, ", ") }

// distance is the number of letters to insert, delete or replace to get from a to b. A name that
// contains the word is near.
func distance(a, b string) int {
	if a != "" && strings.Contains(b, a) {
		return 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := before
			if a[i] != b[j] {
				d = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

package filter

import (
	"testing"

	"tracex/format"
)

// FactsOf returns the names of a data file and the facts of all its points, for tests with the reader.
func FactsOf(t testing.TB, data []byte) (c *format.Context, points []*Facts) {
	c, list := samples(t, data)
	for _, s := range list {
		points = append(points, s.facts())
	}
	return c, points
}

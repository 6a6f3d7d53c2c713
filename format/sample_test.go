package format

import (
	"strings"
	"testing"
)

// TestSampleNote: what a recorder says of call trees that are left out is told. Other strings say nothing.
func TestSampleNote(t *testing.T) {
	for _, c := range []struct {
		texts []string
		notes []string
	}{
		{[]string{SampleText(10_000_000)}, []string{"a sample: 1 % ", " 100 times as much"}},
		{[]string{SampleText(10_000_000), SampleText(500_000_000)}, []string{"samples: from 1 to 50 % "}},
		{[]string{SlowerText(200_000_000)}, []string{"less than 200ms are left out"}},
		{[]string{SlowerText(200_000_000), SampleText(1), SlowerText(1_000_000)}, []string{"less than 1ms", "1e+09 times"}},
		{[]string{SampleText(0), SampleText(-5), SampleText(1e9), SlowerText(0), "tracex: sampled: x of 1000000000 call trees", SampleText(7) + "."}, nil},
	} {
		var k Context
		for _, text := range c.texts {
			noteLeft(&k, text)
		}
		note := SampleNote(&k)
		for _, part := range c.notes {
			if !strings.Contains(note, part) {
				t.Errorf("%q: %q lacks %q", c.texts, note, part)
			}
		}
		if c.notes == nil && note != "" {
			t.Errorf("%q: %q", c.texts, note)
		}
	}
}

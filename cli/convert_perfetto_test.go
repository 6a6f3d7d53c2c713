package cli

import (
	"testing"

	"tracex/recorder/convert/perfetto"
)

func TestLeftLine(t *testing.T) {
	for want, l := range map[string]perfetto.LeftOut{
		"left out: 1 damaged packet, at offset 7":                {What: "damaged packet", Count: 1, First: 7},
		"left out: 1,200 damaged packets, the first at offset 7": {What: "damaged packets", Count: 1200, First: 7},
		"left out: 2 sequence states that took too much memory":  {What: "sequence states that took too much memory", Count: 2, First: -1},
	} {
		if got := leftLine(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

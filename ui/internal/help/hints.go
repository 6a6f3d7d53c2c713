package help

import (
	"slices"
	"strings"

	"tracex/ui/internal/screen"
)

// Hint is a part of the bottom line. If not all fit, those with the largest rank are dropped
// first; rank 0 stays.
type Hint struct {
	Text string
	Rank int
}

// Hints returns as many hints as fit into width cells, in their order. It changes the list.
func Hints(list []Hint, width int, g *screen.Glyphs) string {
	for {
		texts := make([]string, len(list))
		worst := 0
		for i, h := range list {
			texts[i] = h.Text
			if h.Rank > list[worst].Rank {
				worst = i
			}
		}
		text := strings.Join(texts, "   ")
		if screen.TextWidth(text, g.ASCII) <= width || list[worst].Rank == 0 {
			return text
		}
		list = slices.Delete(list, worst, worst+1)
	}
}

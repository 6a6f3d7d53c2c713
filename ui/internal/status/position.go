package status

import (
	"fmt"
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Position tells where the cursor is. n is the cursor's node, or nil; count is the number being
// typed, or "".
func Position(n *lazy.Node, count string, g *screen.Glyphs) string {
	var parts []string
	if count != "" {
		parts = append(parts, count)
	}
	if n != nil {
		if n.Point() != nil {
			parts = append(parts, n.Handle().String())
		}
		if share := n.Fraction(); share >= 0 {
			parts = append(parts, fmt.Sprintf("%.1f %%", 100*share))
		}
	}
	return strings.Join(parts, " "+g.Dot+" ")
}

package status

import (
	"fmt"
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Position tells where the cursor is and what is loaded. n is the cursor's node, or nil; count
// is the number being typed, or "".
func Position(n *lazy.Node, count string, stats lazy.Stats, g *screen.Glyphs) string {
	var parts []string
	if count != "" {
		parts = append(parts, count)
	}
	if n != nil {
		if p := n.Point(); p != nil {
			parts = append(parts, "event "+screen.Grouped(int64(p.Event)))
		}
		if share := n.Fraction(); share >= 0 {
			parts = append(parts, fmt.Sprintf("%.1f %%", 100*share))
		}
	}
	loaded := screen.Plural(stats.Loaded, "event") + " loaded"
	if stats.Forgotten > 0 {
		loaded += ", " + screen.Grouped(stats.Forgotten) + " unloaded"
	}
	return strings.Join(append(parts, loaded), " "+g.Dot+" ")
}

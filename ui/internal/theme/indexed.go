package theme

import (
	"image/color"
	"math"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// lab is a color in OKLab: how light it is, then how green or red and how blue or yellow.
type lab [3]float64

// cube are the colors from 16 on of a terminal that has 256.
var cube = sync.OnceValue(func() (all [240]lab) {
	for i := range all {
		all[i] = labOf(ansi.IndexedColor(16 + i))
	}
	return all
})

// indexed returns the color of 256 that is nearest to another. What the library returns has another lightness: it makes
// dark gray teal, and text on it hard to read.
func indexed(c color.Color) ansi.IndexedColor {
	of, nearest, least := labOf(c), 0, math.Inf(1)
	for i, l := range cube() {
		light, a, b := of[0]-l[0], of[1]-l[1], of[2]-l[2]
		if d := 1.5*light*light + a*a + b*b; d < least {
			nearest, least = i, d
		}
	}
	return ansi.IndexedColor(16 + nearest)
}

func labOf(c color.Color) (of lab) {
	exact, _ := colorful.MakeColor(c)
	of[0], of[1], of[2] = exact.OkLab()
	return of
}

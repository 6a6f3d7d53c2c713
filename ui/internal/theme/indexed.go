package theme

import (
	"image/color"
	"math"
	"sync"

	"github.com/charmbracelet/x/ansi"
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

func labOf(c color.Color) lab {
	r, g, b := linear(c)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// linear returns how much light of each color there is, from 0 to 1.
func linear(c color.Color) (r, g, b float64) {
	of := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r32, g32, b32, _ := c.RGBA()
	return of(r32), of(g32), of(b32)
}

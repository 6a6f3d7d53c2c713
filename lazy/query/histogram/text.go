package histogram

// levels are the heights of a bar, from a little to full.
var (
	levels      = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	asciiLevels = []string{".", ":", "-", "=", "+", "*", "#", "@"}
)

// Text draws the histogram as a row of at most width bars, one for each bucket or, where they do
// not fit, for several. The row begins at [Histogram.Min] and ends at [Histogram.Max]. The highest
// bar is full; one that is not empty has at least the lowest height. Zeros are in the first bar. It
// is "" if the histogram is empty or width is below 1.
func (h *Histogram) Text(width int, ascii bool) string {
	if h.total == 0 || width < 1 {
		return ""
	}
	counts := h.bars(width)
	most := uint64(0)
	for _, n := range counts {
		most = max(most, n)
	}
	signs := levels
	if ascii {
		signs = asciiLevels
	}
	var text []byte
	for _, n := range counts {
		if n == 0 {
			text = append(text, ' ')
			continue
		}
		at := int(float64(n) / float64(most) * float64(len(signs)))
		text = append(text, signs[min(at, len(signs)-1)]...)
	}
	return string(text)
}

// bars returns the counts of at most width bars.
func (h *Histogram) bars(width int) []uint64 {
	from, to := 0, len(h.counts)
	for from < to && h.counts[from] == 0 {
		from++
	}
	for from < to && h.counts[to-1] == 0 {
		to--
	}
	shown := h.counts[from:to]
	if len(shown) == 0 {
		return []uint64{h.zeros}
	}
	each := (len(shown) + width - 1) / width
	bars := make([]uint64, (len(shown)+each-1)/each)
	for i, n := range shown {
		bars[i/each] += n
	}
	bars[0] += h.zeros
	return bars
}

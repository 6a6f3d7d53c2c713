package screen

// windowBytes bounds the text before a part that Window makes visible, so that drawing a row of
// megabytes takes no time.
const windowBytes = 256 << 10

// Window returns how many cells of a text to leave out on the left, at least skip, so that the
// bytes of a part are visible in room cells. The first cell of a text with something left out is
// a sign of that. The beginning of a part is more important than its end.
func Window(text string, part [2]int, skip, room int, g *Glyphs) int {
	if part[0] > windowBytes || part[1] > len(text) || room < 1 {
		return skip
	}
	sign := g.TextWidth(g.More)
	from := g.TextWidth(text[:part[0]])
	to := from + g.TextWidth(text[part[0]:min(part[1], part[0]+room)])
	end := room + skip
	if part[1] < len(text) {
		end -= sign
	}
	if to <= end && (from >= skip+sign || skip == 0) {
		return skip
	}
	// A little text after the part, and, if there is room, some before it.
	return max(0, min(to-room+sign+8, from-sign))
}

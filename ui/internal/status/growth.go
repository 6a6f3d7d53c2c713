package status

import (
	"time"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// growsFor is how long after the last growth the trace is shown as growing.
const growsFor = 3 * time.Second

// Growth tells how a followed trace grows, if possible in room cells. stays means that the
// cursor stays at the newest row.
func Growth(st lazy.Status, stays bool, now time.Time, room int, signs *screen.Glyphs) string {
	g, dot := st.Growth, " "+signs.Dot+" "
	if g.Wait != nil {
		return screen.CutEnd("waiting: "+screen.ErrorLine(g.Wait), max(8, room), signs)
	}
	if g.Grown.IsZero() {
		return "waiting for more"
	}
	since := max(0, now.Sub(g.Grown))
	if since >= growsFor {
		text := "waiting for more"
		if ago := dot + "last growth " + screen.Remaining(since) + " ago"; screen.TextWidth(text+ago, signs.ASCII) <= room {
			text += ago
		}
		return text
	}
	text := "growing"
	if stays {
		text = "following"
	}
	if g.Rate > 0 {
		text += dot + screen.Size(int64(g.Rate)) + "/s"
	}
	return text
}

// NothingYet explains why a followed trace has no rows. name is the name of the trace.
func NothingYet(st lazy.Status, name string, g *screen.Glyphs) string {
	quits := "; " + screen.ActionKey("quit", g) + " quits"
	if st.Growth.Wait != nil {
		return "waiting for " + name + ": " + screen.ErrorLine(st.Growth.Wait) + quits
	}
	if n := st.Growth.Behind; n > 0 {
		return screen.Size(n) + " recorded; events appear here when the first block is complete" + quits
	}
	return "nothing recorded yet; new events will appear here" + quits
}

package details

import "tracex/ui/internal/screen"

// lines is a pane of lines: which of them it shows, and where its cursor is while it has the keys.
type lines struct {
	on     bool
	keys   bool
	top    int // the first line shown
	at     int // the cursor's line
	total  int // how many lines there are, as of the last drawing
	height int // of the pane, as of the last drawing
}

func (l *lines) On() bool { return l.on }

// Toggle shows the pane from its beginning, or hides it.
func (l *lines) Toggle() { l.on, l.top, l.at = !l.on, 0, 0 }

// Hide hides the pane, and reports whether it was shown.
func (l *lines) Hide() bool {
	was := l.on
	l.on, l.keys = false, false
	return was
}

// Scroll scrolls the pane by n lines. It shows the pane if that is hidden.
func (l *lines) Scroll(n int) {
	if !l.on {
		l.on = true
		return
	}
	l.top = max(0, min(l.top+n, l.total-l.height))
	l.at = max(l.top, min(l.at, l.top+l.height-1))
}

func (l *lines) Move(n int) { l.show(l.at + n) }

func (l *lines) Put(y int) { l.show(l.top + y) }

// show puts the cursor on a line, and scrolls so far that it is seen.
func (l *lines) show(at int) {
	l.at = max(0, min(at, l.total-1))
	l.top = max(l.at-l.height+1, min(l.top, l.at), 0)
}

func (l *lines) SetKeys(on bool) {
	if l.keys = on; on {
		l.at = max(l.top, min(l.at, l.top+l.height-1))
	}
}

func (l *lines) Cursor() int {
	if !l.keys {
		return -1
	}
	return l.at - l.top
}

// Extent returns which of the lines are shown.
func (l *lines) Extent() screen.Scroll { return screen.ScrollOf(l.top, l.height, l.total) }

// fit takes over how many lines there are, and how many are shown.
func (l *lines) fit(total, height int) {
	l.total, l.height = total, height
	l.top = max(0, min(l.top, total-height))
	l.at = max(0, min(l.at, total-1))
}

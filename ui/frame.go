package ui

import (
	"fmt"
	"strings"

	"tracex/ui/internal/front"
	"tracex/ui/internal/layout"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/rows"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// frame is what the screen shows, besides what is open in front. Update makes it, so View asks
// the trace for nothing: it waits for no lock and reads no mapped file. It has more than 15
// fields as it is only a value, and each field is a different part of the screen.
type frame struct {
	g             *screen.Glyphs
	width, height int // of the window, in cells
	layout        layout.Layout

	header   status.Header
	filter   string    // "" if there is none
	matches  string    // what it has found
	crumbs   []string  // the path to the cursor's node, as much as fits
	troubles []string  // what is wrong with the trace
	steps    [2]string // that edit the tree: the left and the right end of their line
	strip    string    // what the thread does over its time
	rows     []rows.Row
	view     rows.View
	indent   rows.Indent
	nothing  string   // why there are no rows
	details  []string // lines, if they are shown
	tour     []string
	position string // where the cursor is, and what is loaded
	activity string // what is running; "" if nothing is
	export   string // the same while something is exported, for lists
	message  string // "" if none
	alarm    bool   // the message reports a failure
	hints    string // the most useful keys
}

// draw returns the whole screen: height lines of width cells.
func (f *frame) draw(in *front.Front) string {
	switch {
	case f.width == 0 || f.height == 0:
		return ""
	case !layout.Usable(f.width, f.height):
		return f.tooSmall()
	}
	lines := make([]string, 0, f.height)
	lines = append(lines, f.header.View(f.width, f.g))
	if f.layout.Filter {
		lines = append(lines, screen.Ends(" "+f.filter, f.matches, screen.Accent, screen.Plain, f.width, f.g))
	}
	lines = append(lines, nodetext.CrumbLine(f.crumbs, f.width, f.g))
	if f.layout.Trouble {
		lines = append(lines, f.troubleLine())
	}
	if l := in.List(); l != nil {
		lines = append(lines, l.View(f.width, f.layout.List, f.g)...)
	} else {
		if f.layout.Steps {
			lines = append(lines, screen.Ends(f.steps[0], f.steps[1], screen.Accent, screen.Faint, f.width, f.g))
		}
		if f.layout.Strip {
			lines = append(lines, f.strip)
		}
		lines = append(lines, f.middle()...)
		if f.layout.Hints {
			lines = append(lines, f.statusLine())
		}
	}
	if menu := in.Menu(f.width, f.layout.List); len(menu) > 0 {
		copy(lines[len(lines)-len(menu):], menu)
	}
	return strings.Join(append(lines, f.lastLine(in)), "\n")
}

// middle draws the lines between the breadcrumb and the status: the tree, with the
// details and the tour.
func (f *frame) middle() []string {
	var lines []string
	if f.layout.Rule {
		lines = append(lines, f.rule())
	}
	switch f.layout.Details {
	case layout.Beside:
		for i, row := range f.tree() {
			sep := screen.NewLine(2, f.g)
			lines = append(lines, row+sep.Put(f.g.Side+" ", screen.Faint).End()+f.details[i])
		}
	case layout.Only:
		lines = append(lines, f.details...)
	case layout.Below:
		lines = append(lines, f.tree()...)
		lines = append(lines, screen.Titled("", " details ", f.width, f.g))
		lines = append(lines, f.details...)
	default:
		lines = append(lines, f.tree()...)
	}
	return append(lines, f.tour...)
}

// rule draws the headings of the columns.
func (f *frame) rule() string {
	if f.layout.Details == layout.Only {
		return screen.Titled(" details ", "", f.width, f.g)
	}
	width := f.layout.TreeWidth
	line := f.view.Head(width)
	if f.layout.Details == layout.Beside {
		line += screen.Titled(" details ", "", f.width-width, f.g)
	}
	return line
}

// tree draws the rows of the tree: always as many lines as the layout has for them.
func (f *frame) tree() []string {
	height, width := f.layout.Tree, f.layout.TreeWidth
	lines := make([]string, 0, height)
	for i := range f.rows[:min(len(f.rows), height)] {
		lines = append(lines, f.view.Draw(&f.rows[i], f.indent, width))
	}
	if len(lines) == 0 {
		lines = append(lines, screen.NewLine(width, f.g).Put("  "+f.nothing, screen.Plain).End())
	}
	empty := screen.NewLine(width, f.g).End()
	for len(lines) < height {
		lines = append(lines, empty)
	}
	return lines
}

// tooSmall draws a window in which nothing else has room.
func (f *frame) tooSmall() string {
	text := ""
	need := fmt.Sprintf("%d×%d", layout.MinWidth, layout.MinHeight)
	for _, text = range []string{fmt.Sprintf("%d×%d: tracex needs %s", f.width, f.height, need), "needs " + need, need} {
		if screen.TextWidth(text, f.g.ASCII) <= f.width {
			break
		}
	}
	if f.g.ASCII {
		text = strings.ReplaceAll(text, "×", "x")
	}
	lines := []string{screen.NewLine(f.width, f.g).Put(text, screen.Plain).End()}
	for len(lines) < f.height {
		lines = append(lines, screen.NewLine(f.width, f.g).End())
	}
	return strings.Join(lines, "\n")
}

// statusLine tells where the cursor is and what is running.
func (f *frame) statusLine() string {
	return screen.Ends(" "+f.position, f.activity+" ", screen.Plain, screen.Plain, f.width, f.g)
}

// lastLine draws the prompt, a message, or the most useful keys.
func (f *frame) lastLine(in *front.Front) string {
	line := screen.NewLine(f.width, f.g)
	switch l := in.List(); {
	case in.Prompt() != nil:
		return in.PromptView(f.width)
	case f.message != "" && f.alarm:
		return line.Put(" "+f.g.Warn+" "+f.message, screen.Alarm).End()
	case f.message != "":
		return line.Put(" "+f.message, screen.Bold).End()
	case l != nil && f.export != "":
		room := f.width - screen.TextWidth(f.export, f.g.ASCII) - 3
		return screen.Ends(" "+l.Hint(room, f.g), f.export+" ", screen.Faint, screen.Plain, f.width, f.g)
	case l != nil:
		return line.Put(" "+l.Hint(f.width-1, f.g), screen.Faint).End()
	case !f.layout.Hints:
		return f.statusLine()
	}
	return line.Put(" "+f.hints, screen.Faint).End()
}

// troubleLine shows the first thing that is wrong with the trace, and where to find the others.
func (f *frame) troubleLine() string {
	all := f.troubles
	left, right := " "+f.g.Warn+" "+all[0], ""
	if more := fmt.Sprintf("1 of %d: %s at a thread ", len(all), screen.ActionKey("details", f.g)); len(all) > 1 && screen.TextWidth(left+more, f.g.ASCII) < f.width {
		right = more
	}
	return screen.Ends(left, right, screen.Alarm, screen.Faint, f.width, f.g)
}

package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// choose lists the formats that what the screen shows can have. Enter exports it.
func (x *Exports) choose(force bool) tea.Cmd {
	p, err := x.here(false)
	if err != nil {
		return x.env.Warn(err.Error())
	}
	var orders []*exportOrder
	var names []string
	first, second := 0, 0 // widths of columns
	for i, f := range p.formats() {
		orders = append(orders, &exportOrder{piece: p, format: f, force: force})
		n := x.file(orders[i])
		names = append(names, n.Proposed())
		first, second = max(first, len(f.name)), max(second, x.env.Glyphs.TextWidth(names[i]))
	}
	second = min(second, screen.FloatWidth(x.env.Width)/3)
	x.env.Front.Push(&exportList{x: x, List: prompt.List{
		Title: "export " + p.what, Keys: "Enter writes the file", Choosable: true, Returns: true,
		Len: func() int { return len(orders) },
		Item: func(i int) prompt.Item {
			return prompt.Item{Cells: []prompt.Cell{
				{Text: orders[i].format.name, Style: theme.Accent, At: 2},
				{Text: x.env.Glyphs.CutMiddle(names[i], second), Style: theme.Plain, At: first + 4},
				{Text: orders[i].format.what, Style: theme.Faint, At: first + second + 6},
			}}
		},
	}}, func(i int) tea.Cmd { return x.write(orders[i]) })
	return nil
}

// exportList is the list of formats, with how the command is typed below it.
type exportList struct {
	prompt.List
	x *Exports
}

func (l *exportList) Lines() int { return l.Len() + 1 + len(l.x.usage()) }

func (l *exportList) Width(g *screen.Glyphs) int {
	wide := l.List.Width(g)
	for _, u := range l.x.usage() {
		wide = max(wide, l.x.second(g)+g.TextWidth(u[1]))
	}
	return wide
}

// View draws the formats, and below them as much of the usage as there is room for.
func (l *exportList) View(width, height int, g *screen.Glyphs) []string {
	usage, second := l.x.usage(), l.x.second(g)
	usage = usage[:max(0, min(len(usage), height-1-l.Count()))]
	l.Besides = 1 + len(usage)
	l.Below = func() (lines []string) {
		for _, u := range usage {
			line := screen.NewLine(width, g)
			line.Space(2)
			line.Put(u[0], theme.Plain)
			line.Space(second - (width - line.Left))
			lines = append(lines, line.Put(u[1], theme.Faint).End())
		}
		return lines
	}
	return l.List.View(width, height, g)
}

// second returns where the second column of usage begins.
func (x *Exports) second(g *screen.Glyphs) (at int) {
	for _, line := range x.usage() {
		at = max(at, 4+g.TextWidth(line[0]))
	}
	return at
}

// usage tells how the command is typed, and how the last export ended.
func (x *Exports) usage() [][2]string {
	lines := [][2]string{
		{},
		{":export FORMAT FILE", "there; without FILE beside the trace"},
		{":export! FORMAT FILE", "replaces FILE, and writes what is too large"},
	}
	before := ":export FORMAT "
	for _, w := range exportWords {
		lines = append(lines, [2]string{before + w.word, w.help})
	}
	if last := x.last; last != "" {
		lines = append(lines, [2]string{}, [2]string{"the last one", last})
	}
	return lines
}

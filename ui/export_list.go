package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/list"
	"tracex/ui/internal/saving"
	"tracex/ui/internal/screen"
)

// exportList is the list of formats, with how the command is typed below it. It returns to what is exported.
type exportList struct {
	list.List
	chosen func(i int)
	usage  [][2]string // lines below
}

// HandleKey chooses a format.
func (l *exportList) HandleKey(k tea.KeyPressMsg) list.Action { return l.choose(l.List.HandleKey(k)) }

// Click chooses a format.
func (l *exportList) Click(x, y int, double bool) list.Action {
	return l.choose(l.List.Click(x, y, double))
}

func (l *exportList) choose(what list.Action) list.Action {
	if what.Kind == list.Chosen {
		l.chosen(what.Index)
		what.Kind = list.Closed
	}
	return what
}

// View draws the formats, and below them as much of the usage as there is room for.
func (l *exportList) View(width, height int, g *screen.Glyphs) []string {
	usage := l.usage[:max(0, min(len(l.usage), height-1-l.Count()))]
	wide := 0
	for _, line := range l.usage {
		wide = max(wide, screen.TextWidth(line[0], g.ASCII))
	}
	l.Besides = 1 + len(usage)
	l.Below = func() (lines []string) {
		for _, u := range usage {
			line := screen.NewLine(width, g)
			line.Space(2)
			line.Put(u[0], screen.Plain)
			line.Space(2 + wide + 2 - (width - line.Left))
			lines = append(lines, line.Put(u[1], screen.Faint).End())
		}
		return lines
	}
	return l.List.View(width, height, g)
}

// choose lists the formats that what the screen shows can have. Enter exports it.
func (x *exporting) choose(force bool) tea.Cmd {
	p, err := x.here(false)
	if err != nil {
		x.env.Warn(err.Error())
		return nil
	}
	choices := p.choices()
	names := make([]string, len(choices))
	first, second := 0, 0 // widths of columns
	for i, c := range choices {
		names[i] = (&saving.Name{Trace: x.traceFile(), Part: p.name, Suffix: c.suffix}).Proposed()
		first, second = max(first, len(c.name)), max(second, screen.TextWidth(names[i], x.env.Glyphs.ASCII))
	}
	second = min(second, x.env.Width/2)
	item := func(i int) list.Item {
		return list.Item{Cells: []list.Cell{
			{Text: choices[i].name, Style: screen.Accent, At: 2},
			{Text: screen.CutMiddle(names[i], second, x.env.Glyphs), Style: screen.Plain, At: first + 4},
			{Text: choices[i].what, Style: screen.Faint, At: first + second + 6},
		}}
	}
	x.front.Push(&exportList{usage: x.usage(), List: list.List{
		Title: "export " + p.what, Keys: "Enter writes the file", Choosable: true,
		Len: func() int { return len(choices) }, Item: item,
	}, chosen: func(i int) {
		o := &exportOrder{piece: p, force: force}
		if err := o.choose(choices[i].name); err != nil {
			x.env.Warn(err.Error())
			return
		}
		x.begin(o)
	}}, nil)
	return nil
}

// usage tells how the command is typed, and how the last export ended.
func (x *exporting) usage() [][2]string {
	lines := [][2]string{
		{},
		{":export FORMAT FILE", "there; without FILE beside the trace"},
		{":export! FORMAT FILE", "replaces FILE, and writes what is too large"},
	}
	before := ":export FORMAT "
	for _, w := range exportWords {
		lines = append(lines, [2]string{before + w.word, w.help})
	}
	if last := x.Last(); last != "" {
		lines = append(lines, [2]string{}, [2]string{"the last one", last})
	}
	return lines
}

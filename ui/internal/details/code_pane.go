package details

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/sourcefiles"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// CodePane is the source of the function that the cursor's row is in, with what the call did at each line. For a row
// without a call around it, it is the function of the row's own call.
type CodePane struct {
	env    *env.Env
	tree   *tree.Tree
	source *Source

	Lines
	of    codeSubject
	code  *code // nil until it was found
	task  env.Task
	shown codeSubject // that the first line was chosen for
}

// codeSubject is what the pane is about.
type codeSubject struct {
	tree *lazy.Tree
	at   query.HistoryPoint // the call, the loop or the iteration
	here int32              // the code location that is marked; 0 for none
}

// code is the source of a call.
type code struct {
	query.LinesFound
	*codeText
	values map[int]string             // what the call did at a line
	first  map[int]query.HistoryPoint // what happened first there
	err    error
}

// codeText is a file.
type codeText struct {
	name  string // for the user
	path  string
	lines []string
	spans [][]format.Span // see [sourcefiles.Spans]
}

// NewCodePane returns the pane, which is hidden. It looks for files as the source of the details does.
func NewCodePane(e *env.Env, t *tree.Tree, s *Source) *CodePane {
	return &CodePane{env: e, tree: t, source: s}
}

// subject returns what the pane is about; ok is false for a row without a source.
func (p *CodePane) subject() (of codeSubject, ok bool) {
	n := p.tree.Out.Cursor.Node
	if n == nil || n.IsThread() {
		return of, false
	}
	of.tree = p.tree.Out.Tree
	if up := n.Parent(); up != nil && !up.IsThread() {
		of.at = query.HistoryPoint{Position: up.Position(), Event: up.Point().Event}
		of.here = n.Point().Location
		return of, true
	}
	of.at = query.HistoryPoint{Position: n.Position(), Event: n.Point().Event}
	return of, n.Point().Class == format.ClassCall
}

// Settle looks for the source of the cursor's row, while the pane is shown.
func (p *CodePane) Settle() tea.Cmd {
	of, ok := p.subject()
	if !p.on || !ok {
		p.task.Stop()
		return nil
	}
	was := p.of
	if p.of = of; was.tree == of.tree && was.at == of.at && (p.code != nil || p.task.Running()) {
		return nil
	}
	p.code = nil
	r, source := p.env.Trace.Reader, p.source
	walk := query.NewLines(r, query.LinesOptions{Raw: !of.tree.Folded(), At: of.at})
	source.prepare()
	return p.task.Run(p.env, func(ctx context.Context) func() tea.Cmd {
		c := &code{err: walk.Run(ctx)}
		if c.LinesFound = walk.Found(); c.err == nil {
			c.codeText, c.err = source.text(&c.LinesFound)
		}
		c.fill(p.env.Glyphs)
		return env.Done(func() { p.code = c })
	})
}

// fill notes what the call did at each line of the function's file.
func (c *code) fill(g *screen.Glyphs) {
	c.values, c.first = make(map[int]string), make(map[int]query.HistoryPoint)
	for _, line := range c.Lines {
		if line.File != c.File || len(line.Acts) == 0 {
			continue
		}
		var texts []string
		for _, act := range line.Acts {
			if i := slices.IndexFunc(act.Spans, func(s format.Span) bool { return s.Style == format.StyleMethod }); i >= 0 && !strings.HasPrefix(act.Text, "new ") {
				name := act.Text[act.Spans[i].Start:act.Spans[i].End]
				act.Text = act.Text[act.Spans[i].Start:] // its receiver is in the source
				if len(line.Acts) == 1 && c.codeText != nil && line.Line <= len(c.lines) && strings.Count(c.lines[line.Line-1], name+"(") == 1 {
					act.Text = act.Text[len(name):] // and its name, once
				}
			}
			texts = append(texts, act.String())
		}
		c.values[line.Line], c.first[line.Line] = strings.Join(texts, " "+g.Dot+" "), line.Acts[0].First
	}
	if c.codeText != nil {
		if head := c.Declared(c.lines); head > 0 {
			c.values[head] = strings.TrimPrefix(c.Text, c.Name)
		}
	}
}

// marked returns the line of the function's file that is marked; 0 for none.
func (p *CodePane) marked() (line int) {
	if p.of.here == 0 || p.code == nil {
		return 0
	}
	p.env.Trace.Reader.WithContext(func(c *format.Context) {
		if file, n, ok := c.FileLine(p.of.here); ok && file == p.code.File {
			line = n
		}
	})
	return line
}

func (p *CodePane) Title() string {
	switch c := p.code; {
	case c == nil || c.Name == "":
		return "source"
	case c.codeText == nil:
		return "source  " + c.Name
	default:
		return "source  " + c.codeText.name + "  " + c.Name + " " + p.tree.Named(lazy.EventHandle(c.Event))
	}
}

// View draws the lines of the source around the one that is marked: height lines of width cells.
func (p *CodePane) View(width, height int) (all []string) {
	c, g := p.code, p.env.Glyphs
	if why := p.nothing(); why != "" {
		s := sheet{width: width, g: g}
		s.wrap("", 0, why, screen.Whole(why), screen.Always(theme.Plain))
		p.fit(len(s.lines), height)
		return screen.Fill(s.lines, width, height, g)
	}
	mark := p.marked()
	if p.shown != p.of {
		first := c.Declared(c.codeText.lines)
		top := first - 1
		if at := max(mark, first); at-top > height*2/3 {
			top = at - height/2
		}
		p.top, p.at, p.shown = top-1, max(mark, first)-1, p.of
	}
	p.fit(len(c.codeText.lines), height)
	to := min(len(c.codeText.lines), p.top+height)
	digits, widest := len(strconv.Itoa(to)), 0
	for i := p.top; i < to; i++ {
		if c.values[i+1] != "" {
			widest = max(widest, g.TextWidth(c.codeText.lines[i]))
		}
	}
	at := digits + 4 + min(widest, (width-digits)*3/5)
	for i := p.top; i < to; i++ {
		all = append(all, p.line(i, i+1 == mark, digits, at, width))
	}
	return screen.Fill(all, width, height, g)
}

// line draws line i of the file, with what the call did there from a column on.
func (p *CodePane) line(i int, marked bool, digits, at, width int) string {
	c, g := p.code, p.env.Glyphs
	l := screen.NewLine(width, g)
	number := strconv.Itoa(i + 1)
	l.Space(digits - len(number))
	mark := " "
	if marked {
		mark = g.Cursor
	}
	l.Put(number, theme.Faint).Put(mark, theme.Accent)
	l.Space(1)
	rest := 0
	if c.values[i+1] != "" {
		rest = width - at + 2
	}
	l.Left -= rest
	role := codeRole
	if c.First > 0 && (i+1 < c.Declared(c.codeText.lines) || i+1 > c.Ends(c.codeText.lines)) {
		role = screen.Always(theme.Faint) // another function
	}
	l.Spans(c.codeText.lines[i], c.codeText.spans[i], role, nil, 0)
	l.Space(l.Left)
	l.Left = rest
	l.Space(2)
	return l.Put(c.values[i+1], theme.VariableName).End() // a color that the code beside it has not
}

// codeRoles are the roles of the parts of a source.
var codeRoles = map[sourcefiles.Part]theme.Role{
	sourcefiles.Comment: theme.Faint, sourcefiles.Keyword: theme.Keyword, sourcefiles.String: theme.StringText,
	sourcefiles.Number: theme.NumberText, sourcefiles.Call: theme.Method,
}

func codeRole(s format.Style) theme.Role { return codeRoles[sourcefiles.Part(s)] }

// nothing explains why there is no source; "" if there is one.
func (p *CodePane) nothing() string {
	if _, ok := p.subject(); !ok {
		return "The source of a call is shown while the cursor is on the call or in it."
	}
	switch c := p.code; {
	case c == nil:
		return p.env.Spinner() + " looking for the source"
	case errors.Is(c.err, query.ErrHidden):
		return "It is " + c.err.Error() + ": there is nothing to show of it. " + keys.ActionKey("raw", p.env.Glyphs) + " shows all events."
	case c.err != nil:
		return screen.ErrorLine(c.err)
	}
	return ""
}

// Enter goes to what happened first at the cursor's line.
func (p *CodePane) Enter() tea.Cmd {
	if p.code == nil {
		return nil
	}
	at, ok := p.code.first[p.at+1]
	if !ok {
		return p.env.Say("nothing was recorded at this line of the call")
	}
	p.tree.Visit()
	return p.tree.Jobs.ToPoint(at.Position, at.Event)
}

// Edit opens the cursor's line in the user's editor.
func (p *CodePane) Edit() tea.Cmd {
	if p.code == nil || p.code.codeText == nil {
		return p.env.Say("there is no source to open")
	}
	return p.source.edit(p.code.path, p.at+1)
}

// text reads the file of a call's function, on a goroutine of the background.
func (p *Source) text(f *query.LinesFound) (*codeText, error) {
	if f.File == "" {
		return nil, errors.New("the trace does not say in which file " + f.Name + " is")
	}
	found := p.finder.Whole(p.env.Life, sourcefiles.Spot{File: f.File, Class: f.Class, Import: f.Import, Function: f.Name, Line: max(1, f.Last)}) // what it lists is for other files, too
	switch {
	case found.Err != nil && !p.asked:
		return nil, fmt.Errorf("%w; tracex --source DIRECTORY says where sources are", found.Err)
	case found.Err != nil:
		return nil, found.Err
	}
	text, err := sourcefiles.ReadAll(found.Path)
	if err != nil {
		return nil, err
	}
	if len(text) < f.Last {
		return nil, errors.New(found.Name() + " has no line " + strconv.Itoa(f.Last) + ": it is another version of the file")
	}
	name := filepath.Base(found.Path)
	if found.Alike > 1 {
		name += ", a guess of " + strconv.Itoa(found.Alike)
	}
	return &codeText{name: name, path: found.Path, lines: text, spans: sourcefiles.Spans(found.Path, text)}, nil
}

package query

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// ReportOptions say which failure a Report is about.
type ReportOptions struct {
	Name string // of the trace, as commands take it
	// Title, Facts and About begin the report: what failed, what is known of it, such as what a test printed, and of what it is.
	Title        string
	Facts, About []string
	// At is the event that failed, or the thread that ran the test.
	At lazy.Position
	// Test tells that a test failed: only what it did and the goroutines that it started count for the last values.
	Test bool
	// Output is what the test printed, Places are the lines of sources that it names. Of a thread, the event is found by them.
	Output string
	Places []SourceLineID
	Failed string // the test that failed; "" if none is known to have
	JSON   bool   // the report is for Report.JSON
}

// Report is what happened around a failure: an indented report of calls, and what was thrown and seen before it.
type Report struct {
	Title string
	Facts []string // lines of text about the failure
	Parts []ReportPart

	about      ReportOptions
	handle     string // of the event that failed, or is the last known before
	thread     int32  // of that, from 1
	threadName string
}

// ReportPart is a section of a report.
type ReportPart struct {
	Title string
	Lines []ReportLine // in the order in which they are shown
	More  string       // the command that shows what is left out; "" if there is none
	kind  int          // 0 for one that was added to the report
}

// ReportLine is a line of a report, or stands for lines that were not read.
type ReportLine struct {
	Depth  int
	Handle string // of the event, or the thread; "" if it is about none
	Text   string
	Place  string // file and line of the source; "" if unknown
	Here   bool   // it failed here
	Rank   int    // the larger, the earlier it is left out
	Omits  int64  // how many events the line stands for, -1 if that is not known; 0 for a line with a text

	path    bool // the failure is in it, or it is that
	printed []byte
	thrown  *ReportThrown
}

const (
	// reportFamily bounds the goroutines of a test that are read, reportKids how many children of a call a report shows, reportBefore
	// how many calls before one, reportDeep how many levels below a call.
	reportFamily, reportKids, reportBefore, reportDeep = 256, 12, 24, 5
	// reportRows bounds the rows of calls, reportCount the children of a call that are counted.
	reportRows, reportCount = 1500, 4000
	// reportOuter and reportInner are how many of the calls around the failure are shown: the first and the last.
	reportOuter, reportInner = 20, 300
	// reportList is how many exceptions, errors and goroutines are listed, reportSpots of how many objects and fields the values are.
	reportList, reportSpots, reportSeen = 8, 4, 4
	// reportText bounds the text of a row, in bytes.
	reportText = 1000
)

// reporter makes a Report.
type reporter struct {
	r      *lazy.LazyTraceReader
	o      ReportOptions
	tell   lazy.Progress
	tree   *lazy.Tree
	forest *goroutines.Forest // nil if no goroutine is known
	family []int32            // the thread, and those that it started
	survey *reportSurvey
	focus  *lazy.Node    // the event that failed, or is the last known before
	until  *HistoryPoint // values count up to it; nil for all
	mark   string        // what is said of the failing line after it; "" if the focus failed
	out    *Report
	rows   int
	shown  map[string]bool // handles of the rows of calls
	json   *format.JSON    // see printed
}

// FindReport makes the report of a failure. It reads the thread of the failure and those that it started once, all of the trace once more for
// each object and field whose values it tells, as [History] does, and otherwise only what it shows. tell may be nil.
func FindReport(ctx context.Context, r *lazy.LazyTraceReader, o ReportOptions, tell lazy.Progress) (*Report, error) {
	x := &reporter{r: r, o: o, tell: tell, tree: r.Tree(true), out: &Report{Title: o.Title, Facts: slices.Clone(o.Facts), about: o}, shown: make(map[string]bool)}
	for _, step := range []func(context.Context) error{x.findFamily, x.read, x.findFocus, x.bound, x.calls, x.thrown, x.returned, x.seen, x.goroutines} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	x.out.Facts = append(x.out.Facts, o.About...)
	x.out.handle, x.out.thread = x.focus.Handle().String(), x.focus.Thread()+1
	if info, ok := r.ThreadInfo(x.focus.Thread()); ok {
		x.out.threadName = info.Name
	}
	return x.out, nil
}

// findFamily finds the threads that the thread of the failure started, without those of processes.
func (x *reporter) findFamily(ctx context.Context) error {
	x.family = []int32{x.o.At.Thread}
	list := x.r.ThreadList()
	if !goroutines.Likely(list) {
		return nil
	}
	f, err := goroutines.NewForest(ctx, list, nil)
	if err != nil {
		return err
	}
	x.forest = f
	if i := list.Index(x.o.At.Thread); i < list.Len() && list.ID(i) == x.o.At.Thread {
		end := f.Place(i) + f.Below(i)
		for at := f.Place(i) + 1; at <= end && len(x.family) <= reportFamily; at++ {
			if k := f.At(at); f.Adopted(k) {
				at += f.Below(k) // another process
			} else {
				x.family = append(x.family, list.ID(k))
			}
		}
	}
	return nil
}

// read reads the threads of the family once: where the places of the output are, what was thrown, and which errors were returned.
func (x *reporter) read(ctx context.Context) error {
	scope := Scope{Ranges: x.ranges()}
	if x.survey == nil {
		x.survey = newReportSurvey(x.r, scope, x.o.At, x.o.Places)
	}
	pass := scope.Over(x.survey, x.survey.throws)
	pass.Progress = x.tell
	return x.r.Pass(ctx, pass)
}

// look makes what was thrown and the errors returned those before a position. If that needs what was not kept, the threads are read again.
func (x *reporter) look(ctx context.Context, before lazy.Position) error {
	lost := x.survey.lost(before)
	x.survey.before = before
	if !lost {
		return nil
	}
	x.survey.Reset()
	x.survey.throws.Reset()
	return x.read(ctx)
}

// ranges returns the threads of the family, as parts of the trace.
func (x *reporter) ranges() (list []lazy.PassRange) {
	for _, id := range slices.Sorted(slices.Values(x.family)) {
		list = append(list, lazy.PassRange{Thread: id, To: -1})
	}
	return list
}

// findFocus finds the event that failed: the one asked for, the exception that ended the thread, or the last call before the line that the output
// names. Without any of them it is the last event of the thread.
func (x *reporter) findFocus(ctx context.Context) (err error) {
	if x.o.At.At >= 0 {
		if x.focus, err = lazy.RevealAlone(ctx, x.tree, x.o.At); err != nil || x.focus.IsThread() {
			return cmp.Or(err, ErrHidden)
		}
		return nil
	}
	// A panic of another goroutine ends the program, and the test prints it.
	if e := x.survey.ended(false, !strings.Contains(x.o.Output, "panic:")); e != nil {
		x.focus, err = lazy.RevealAlone(ctx, x.tree, e.point().Position)
		return err
	}
	at, line, place := x.survey.locate(x.o.Places)
	if len(at) > 0 {
		best, told := at[len(at)-1], 0
		for _, p := range at {
			n, err := lazy.RevealAlone(ctx, x.tree, p)
			if err != nil {
				return err
			}
			if score := sharedWords(string(x.tree.AppendText(nil, n, false)), x.o.Output); score >= told {
				best, told = p, score
			}
		}
		if x.focus, err = lazy.RevealAlone(ctx, x.tree, best); err != nil {
			return err
		}
		x.mark = cmp.Or(lineWith(x.o.Output, place), place.String())
		fact := "failed at " + place.String()
		if line.Line != place.Line {
			fact += fmt.Sprintf("; the call recorded last before that line of the function is at line %d", line.Line)
		}
		if len(at) > 1 {
			fact += fmt.Sprintf("; this line called several times, and which call it was is not recorded: shown is the %s",
				map[bool]string{true: "last one whose values the message names", false: "last one"}[told > 0])
		}
		x.out.Facts = append(x.out.Facts, fact)
		return nil
	}
	if e := cmp.Or(x.survey.ended(false, false), x.survey.ended(true, false)); e != nil {
		x.focus, err = lazy.RevealAlone(ctx, x.tree, e.point().Position)
		return err
	}
	if len(x.o.Places) > 0 {
		x.out.Facts = append(x.out.Facts, "no recorded call is at a line that the message names, or before it in the function: the last calls of the test are shown")
	}
	return x.focusLast(ctx)
}

// focusLast takes the last event directly in the last root of the thread, or in the innermost call that did not end.
func (x *reporter) focusLast(ctx context.Context) error {
	n, _ := x.tree.Thread(x.o.At.Thread)
	if n == nil {
		return &lazy.NoPositionError{Position: x.o.At}
	}
	for level := 0; level < 2 || n.State() != lazy.StateWhole; level++ {
		kids, _, err := x.last(ctx, n, 1)
		if err != nil {
			return err
		}
		if len(kids) == 0 {
			break
		}
		n = kids[len(kids)-1]
	}
	if n.IsThread() {
		return fmt.Errorf("%s has no events", threadNumber(n.Thread()))
	}
	x.focus = n
	return nil
}

// last returns the last children of a node, and how many are before them, -1 if that is not known.
func (x *reporter) last(ctx context.Context, n *lazy.Node, most int64) (kids []*lazy.Node, before int64, err error) {
	count, exact, err := x.tree.CountChildren(ctx, n, reportCount)
	if err != nil || exact {
		from := max(0, count-most)
		kids, err = x.tree.Range(ctx, n, from, most)
		return kids, from, err
	}
	x.tree.Expand(n)
	for row, ok := x.tree.LastChild(n); ok; {
		if row.Gap() {
			if len(kids) > 0 {
				break
			}
			if err := x.tree.Load(ctx, row, lazy.AtEnd); err != nil {
				return nil, 0, err
			}
			again, found := x.tree.LastChild(n)
			if !found || again.Gap() {
				break
			}
			row = again
		}
		if kids = append(kids, row.Node); int64(len(kids)) == most {
			break
		}
		row, ok = x.tree.PrevSibling(row)
	}
	slices.Reverse(kids)
	return kids, -1, nil
}

// before returns the siblings before a node, the nearest last, and how many more there are, -1 if that is not known.
func (x *reporter) before(ctx context.Context, n *lazy.Node, most int) (list []*lazy.Node, more int64, err error) {
	in := n.Parent()
	count, exact, err := x.tree.CountChildren(ctx, in, reportCount)
	if err != nil {
		return nil, 0, err
	}
	if exact {
		all, err := x.tree.Range(ctx, in, 0, count)
		if err != nil {
			return nil, 0, err
		}
		i, _ := slices.BinarySearchFunc(all, n.Position().At, func(k *lazy.Node, at int64) int { return cmp.Compare(k.Position().At, at) })
		from := max(0, i-most)
		return all[from:i], int64(from), nil
	}
	n, err = x.tree.Reveal(ctx, n.Position())
	if err != nil {
		return nil, 0, err
	}
	row := lazy.Row{Node: n, Parent: n.Parent(), Depth: n.Depth(), From: n.Position().At}
	for len(list) < most {
		var ok bool
		if row, ok = x.tree.PrevSibling(row); !ok || row.Node == nil {
			slices.Reverse(list)
			return list, map[bool]int64{true: -1}[ok], nil
		}
		list = append(list, row.Node)
	}
	slices.Reverse(list)
	return list, -1, nil
}

// calls makes the tree of calls: the path to the failure, what was done before at each step of it, and what is in the last calls.
func (x *reporter) calls(ctx context.Context) error {
	var path []*lazy.Node
	for n := x.focus; !n.IsThread(); n = n.Parent() {
		path = append(path, n)
	}
	slices.Reverse(path)
	title := "the calls up to it"
	if id := x.focus.Thread(); id != x.o.At.Thread {
		title += ", in " + x.threadLabel(id)
	}
	part := ReportPart{Title: title, kind: reportCalls, More: x.command("print --subtree", path[0].Handle().String())}
	for i := 0; i < len(path); i++ {
		if omits := len(path) - reportOuter - reportInner; omits > 0 && i == reportOuter {
			part.Lines = append(part.Lines, ReportLine{Depth: i, Omits: int64(omits)})
			i += omits
		}
		n, up := path[i], len(path)-1-i // steps to the failure
		if i > 0 {
			list, more, err := x.before(ctx, n, max(reportBefore>>min(up, 8), 1))
			if err != nil {
				return err
			}
			if more != 0 {
				part.Lines = append(part.Lines, ReportLine{Depth: i, Omits: more})
			}
			for j, k := range list {
				near := len(list) - 1 - j
				if err := x.row(ctx, &part, k, i, 2+min(near, 6)+3*min(up, 8), max(0, 3-up-near/3)); err != nil {
					return err
				}
			}
		}
		deep := 0
		if up == 0 {
			deep = reportDeep
		}
		if err := x.row(ctx, &part, n, i, min(up/8, 1), deep); err != nil {
			return err
		}
		at := &part.Lines[x.lineOf(&part, n)]
		at.path, at.Here = true, up == 0 && x.mark == ""
	}
	if x.mark != "" {
		part.Lines = append(part.Lines, ReportLine{Depth: len(path) - 1, Text: x.mark, Here: true})
	}
	x.out.Parts = append(x.out.Parts, part)
	return nil
}

// lineOf returns the line of a node that was added last.
func (x *reporter) lineOf(part *ReportPart, n *lazy.Node) int {
	h := n.Handle().String()
	i := len(part.Lines) - 1
	for i > 0 && part.Lines[i].Handle != h {
		i--
	}
	return i
}

// row adds the row of a node, and those of what is in it.
func (x *reporter) row(ctx context.Context, part *ReportPart, n *lazy.Node, depth, rank, deep int) error {
	l := x.line(n, depth, rank)
	part.Lines = append(part.Lines, l)
	x.shown[l.Handle] = true
	x.rows++
	if deep == 0 || n.Leaf() || x.rows > reportRows {
		return nil
	}
	kids, before, err := x.last(ctx, n, reportKids)
	if err != nil {
		return err
	}
	if before != 0 {
		part.Lines = append(part.Lines, ReportLine{Depth: depth + 1, Omits: before})
	}
	for i, k := range kids {
		if err := x.row(ctx, part, k, depth+1, rank+2+(len(kids)-1-i)/4, deep-1); err != nil {
			return err
		}
	}
	return nil
}

// line returns the row of a node.
func (x *reporter) line(n *lazy.Node, depth, rank int) ReportLine {
	l := ReportLine{Depth: depth, Handle: n.Handle().String(), Text: cutText(x.tree.AppendText(nil, n, false), reportText), Rank: rank}
	if p := n.Point(); p != nil {
		x.r.WithContext(func(c *format.Context) {
			if id, ok := lineID(c, p.Location); ok && !(n.Depth() == 1 && id.File == "testing.go") { // that of the runner
				l.Place = id.String()
			}
			l.printed = x.printed(c, n)
		})
	}
	return l
}

// String is the line as compilers write it.
func (id SourceLineID) String() string { return fmt.Sprintf("%s:%d", path.Base(id.File), id.Line) }

// command returns a command about a place of the trace.
func (x *reporter) command(command, place string) string {
	return "tracex " + command + " " + shellQuoted(x.o.Name+place)
}

// shellQuoted returns a text as a word of a shell.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// rowAt returns the row of an event, with the thread if that is another than the one of the failure.
func (x *reporter) rowAt(ctx context.Context, at HistoryPoint, rank int) (l ReportLine, err error) {
	n, err := lazy.RevealAlone(ctx, x.tree, at.Position)
	if err != nil {
		return l, err
	}
	if n.IsThread() {
		return l, ErrHidden
	}
	if l = x.line(n, 0, rank); at.Thread != x.focus.Thread() {
		l.Text = x.threadLabel(at.Thread) + ": " + l.Text
	}
	return l, nil
}

// threadLabel names a thread in short.
func (x *reporter) threadLabel(id int32) string {
	if info, ok := x.r.ThreadInfo(id); ok {
		if n, ok := goroutines.Parse(info.Name); ok {
			return goroutines.Label(n.Number)
		}
	}
	return lazy.PositionHandle(lazy.Position{Thread: id, At: -1}).String()
}

// add adds a section, unless it is empty.
func (x *reporter) add(part ReportPart) {
	if len(part.Lines) > 0 {
		x.out.Parts = append(x.out.Parts, part)
	}
}

package query

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
)

// OverviewLine is a line of an Overview as a person reads it. It may have any characters that the trace has.
type OverviewLine struct {
	Head bool // it begins a part
	Note bool // it tells what is not known, or that there is nothing
	Text string
	// A bar of Part in Whole has room at byte Bar of the text; 0 for no bar.
	Bar         int
	Part, Whole int64
	// A line leads to a place, of an event or, with the event -1, of a thread, or to an answer.
	Leads   bool
	At      HistoryPoint
	Command string // as the explorer takes it: "top", "callers shop.Sell(int)"; "" if it leads to no answer
}

// Lines returns the lines that tell the facts.
func (f OverviewFacts) Lines(g *display.Glyphs) []OverviewLine {
	x := &overviewText{OverviewFacts: &f, g: g}
	x.recorded()
	x.methods()
	x.calls()
	x.thrown()
	x.threads()
	return x.lines
}

// overviewText makes the lines.
type overviewText struct {
	*OverviewFacts
	g     *display.Glyphs
	lines []OverviewLine
}

func (x *overviewText) line(parts ...string) *OverviewLine {
	text := ""
	for _, part := range parts {
		if text != "" && part != "" {
			text += " " + x.g.Dot + " "
		}
		text += part
	}
	x.lines = append(x.lines, OverviewLine{Text: text})
	return &x.lines[len(x.lines)-1]
}

// head begins a part, which leads to an answer. all tells that the whole trace counts.
func (x *overviewText) head(text string, all bool, command string) {
	more := ""
	if !all || x.End == EndGrowing {
		more = "so far"
	}
	l := x.line(text, more)
	l.Head, l.Command = true, command
}

// row adds a line to a part.
func (x *overviewText) row(format string, args ...any) *OverviewLine {
	return x.line("  " + fmt.Sprintf(format, args...))
}

// barred adds a line with a bar after its size.
func (x *overviewText) barred(size string, part, whole int64, format string, args ...any) *OverviewLine {
	l := x.row("%s"+format, append([]any{size}, args...)...)
	if whole > 0 {
		l.Bar, l.Part, l.Whole = len("  "+size), part, whole
	}
	return l
}

func (x *overviewText) note(text string) { x.row("%s", text).Note = true }

// to lets a line lead to a place.
func (l *OverviewLine) to(p *OverviewPlace) { l.Leads, l.At = true, p.At }

// recorded tells what was recorded, and how that ended.
func (x *overviewText) recorded() {
	what, calls := x.Program, ""
	switch {
	case x.Programs > 1:
		what = fmt.Sprintf("%s of %d programs", display.Plural(int64(x.Tests), "test"), x.Programs)
	case x.Tests > 0 && x.Program != "":
		what = display.Plural(int64(x.Tests), "test") + " of " + x.Program
	case x.Tests > 0:
		what = display.Plural(int64(x.Tests), "test")
	}
	if x.Counted {
		calls = display.Plural(x.Calls, "call")
	}
	x.line(what, calls, display.Plural(int64(x.Threads), "thread"), display.Size(x.Bytes)).Head = true
	switch {
	case x.Status.TimesReason != nil:
		x.line("the times cannot be used: " + x.Status.TimesReason.Error()).Note = true
	case x.Length == nil:
		x.line(cmp.Or(x.NoTimes, "no times were recorded")).Note = true
	case x.Begun == nil:
		x.line("recorded for " + x.g.Duration(*x.Length) + "; when is not known")
	default:
		x.line("recorded " + x.Begun.Format(time.DateTime) + " UTC, for " + x.g.Duration(*x.Length))
	}
	how := map[OverviewEnd]string{EndUnknown: "being opened", EndWhole: "complete", EndRecovered: x.Recovered, EndGrowing: "still being recorded"}[x.End]
	if x.End == EndCut {
		how = "not whole: " + x.Status.Problem.Error()
	}
	open := ""
	if n := x.Unfinished; n > 0 {
		open = display.Grouped(int64(n)) + " calls, loops and iterations had not ended"
		if n == 1 {
			open = "1 call, loop or iteration had not ended"
		}
	}
	x.line(how, open)
	if x.Sample != "" {
		x.line(x.Sample)
	}
	for _, gap := range x.Gaps {
		x.line("missing between the first calls and the newest: " + gap)
	}
}

// methods tells where the time goes.
func (x *overviewText) methods() {
	if x.Timed {
		x.head("where the time goes", x.Topped, "top")
	} else {
		x.head("most calls", x.Topped, "top")
	}
	if len(x.Methods) == 0 {
		x.none("no calls", x.Topped)
	}
	for i := range x.Methods {
		m := &x.Methods[i]
		calls := display.Plural(m.Calls, "call")
		var l *OverviewLine
		if x.Timed {
			self, share, part := x.g.Duration(*m.Self), "", int64(0)
			if m.Bound != "" {
				self = x.g.About + self
			}
			if m.Share != nil {
				part = int64(*m.Share*1e9 + 0.5)
				share = display.Portion(*m.Share)
			}
			l = x.barred(fmt.Sprintf("%9s  %5s", self, share), part, 1e9, "  %s, %s", m.Name, calls)
		} else {
			l = x.barred(fmt.Sprintf("%16s", calls), m.Calls, x.Calls, "  %s", m.Name)
		}
		if m.Call != "" {
			l.Command = "callers " + m.Call
		}
	}
}

// none tells that a part has nothing, if that is known.
func (x *overviewText) none(text string, all bool) {
	if !all {
		text = "not known yet"
	}
	x.note(text)
}

// calls tells of the slowest tests or root calls.
func (x *overviewText) calls() {
	switch {
	case x.Tests > 0 && x.Timed:
		x.head("slowest tests, waiting included", x.Ranked, "")
	case x.Tests > 0:
		x.head("tests with the most calls", x.Ranked, "")
	case x.Timed:
		x.head("longest root calls", x.Ranked, "calls not in(kind=call)")
	default:
		x.head("root calls with the most events", x.Ranked, "calls not in(kind=call)")
	}
	if len(x.Slowest) == 0 {
		x.none("no calls", x.Ranked)
	}
	longest, wide := int64(0), 9 // the bars are parts of it
	if !x.Timed {
		wide = 14
	}
	for i := range x.Slowest {
		c := &x.Slowest[i]
		size, part := x.g.None, int64(0)
		switch {
		case c.Duration != nil:
			part = *c.Duration
			if size = x.g.Duration(*c.Duration); c.Bound != "" {
				size = strings.TrimSpace(x.g.AtLeast) + size
			}
		case c.Calls != nil:
			part = *c.Calls
			size = display.Plural(*c.Calls, "call")
		case c.Events != nil:
			part = *c.Events
			size = display.Plural(*c.Events, "event")
		}
		longest = max(longest, part)
		x.barred(fmt.Sprintf("%*s", wide, size), part, longest, "  %-7s %s%s", c.Label, c.Name, c.ended(x.End == EndGrowing)).to(&c.OverviewPlace)
	}
}

// ended tells how a call ended, if not by returning.
func (c *OverviewCall) ended(grows bool) string {
	switch {
	case c.Unended:
		return ": " + neverEnded(grows)
	case c.Kind == overviewTest && c.Exception == goexitClass:
		return ": failed or skipped (" + goexitClass + ")"
	case c.Threw && c.Exception == "":
		return ": threw"
	case c.Threw:
		return ": threw " + c.Exception
	}
	return ""
}

// thrown tells what no call caught.
func (x *overviewText) thrown() {
	x.head("thrown and not caught", x.Passed, "throws")
	if len(x.Uncaught) == 0 {
		x.none("nothing", x.Passed)
	}
	for i := range x.Uncaught {
		e := &x.Uncaught[i]
		x.row("%9s  %-7s %s in %s %s", display.Grouped(e.Count), e.Handle, e.Class, e.In, e.Ended).to(&e.OverviewPlace)
	}
	if n := x.Rows - len(x.Uncaught); n > 0 {
		x.note(fmt.Sprintf("%s more: %s in all", display.Grouped(int64(n)), display.Plural(x.Escaped, "exception")))
	}
}

// threads tells of the busiest threads.
func (x *overviewText) threads() {
	x.head("busiest of "+display.Plural(int64(x.Threads), "thread"), x.Known, "")
	if x.Threads == 0 {
		x.none("nothing was recorded", x.Known)
		return
	}
	if len(x.Busiest) == 0 {
		x.none("", false)
	}
	for i := range x.Busiest {
		t := &x.Busiest[i]
		calls := x.g.None
		if t.Calls >= 0 {
			calls = display.Plural(t.Calls, "call")
		}
		if t.Name != "" {
			calls = fmt.Sprintf("%16s  ", calls)
		}
		name := t.Name
		if n, ok := goroutines.Parse(name); ok && n.Start != "" {
			name, _ = n.Heading()
			name = strings.Replace(name, t.Label+" ", "", 1)
		}
		x.row("%-7s %s %s%s", t.Label, t.Bars(x.g), calls, name).to(&t.OverviewPlace)
	}
	if !x.Timed {
		x.note("when each did what is not known: there are no times")
	}
}

// Bars draws the activity of a thread: a blank where the thread was not there, otherwise the higher the more
// ended. It is "" if that is not known.
func (t *OverviewThread) Bars(g *display.Glyphs) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	if g.ASCII {
		bars = []rune(".:-=+*#@")
	}
	most := int64(1)
	for _, n := range t.Activity {
		most = max(most, n)
	}
	var b strings.Builder
	for i, n := range t.Activity {
		switch {
		case n == 0 && (i < t.From || i > t.To):
			b.WriteByte(' ')
		default:
			b.WriteRune(bars[int(float64(n)/float64(most)*float64(len(bars)-1)+0.5)])
		}
	}
	return b.String()
}

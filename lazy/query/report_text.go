package query

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy/query/display"
)

// ReportFormat says how a report is written.
type ReportFormat struct {
	Size     int  // the most bytes; 0 for no limit
	Markdown bool // otherwise text
}

// reportCuts are how many bytes of a line are shown, if the report would not fit otherwise: values are cut before lines are left out.
var reportCuts = []int{reportText, 400, 200}

// Text returns the report in at most so many bytes. What does not fit is left out, the least important lines first, and a line says how many
// they were.
func (r *Report) Text(f ReportFormat) string {
	x := newReportText(r, f.Markdown)
	all := len(x.order)
	for _, x.cut = range reportCuts {
		if text := x.text(all); f.Size <= 0 || len(text) <= f.Size {
			return text
		}
	}
	// A line more is nearly always more text, but for the last one of a run.
	k := sort.Search(all, func(k int) bool { return len(x.text(k+1)) > f.Size })
	for ; k >= 0; k-- {
		if text := x.text(k); len(text) <= f.Size {
			return text
		}
	}
	text := x.text(0)[:f.Size]
	for len(text) > 0 && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text
}

// reportTexts writes a report with some of its lines.
type reportTexts struct {
	r        *Report
	markdown bool
	parts    []ReportPart // the facts are the first
	order    []int        // of all lines with a text, counted through all parts: how many are more important
	cut      int
}

func newReportText(r *Report, markdown bool) *reportTexts {
	facts := ReportPart{}
	for i, line := range r.Facts {
		facts.Lines = append(facts.Lines, ReportLine{Text: line, Rank: min(i/4, 9)})
	}
	x := &reportTexts{r: r, markdown: markdown, parts: append([]ReportPart{facts}, r.Parts...)}
	var ranks [][3]int // of a line: its rank, its part, and its place in that
	for i, p := range x.parts {
		for j, l := range p.Lines {
			if i > 0 {
				j = -j // what is later is nearer to the failure
			}
			if l.Omits == 0 {
				ranks = append(ranks, [3]int{l.Rank, i, j})
			}
		}
	}
	by := make([]int, len(ranks))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(a, b int) int { return slices.Compare(ranks[a][:], ranks[b][:]) })
	x.order = make([]int, len(ranks))
	for place, i := range by {
		x.order[i] = place
	}
	return x
}

// text returns the text with so many of the lines, the most important ones.
func (x *reportTexts) text(lines int) string {
	var b strings.Builder
	title := x.one(x.r.Title, 0)
	if x.markdown {
		title = "### " + plainWords.Replace(title)
	}
	b.WriteString(title + "\n")
	next := 0
	var missing []string
	for i := range x.parts {
		p := &x.parts[i]
		keep := make([]bool, len(p.Lines))
		kept, cut := false, int64(0)
		for j := range p.Lines {
			if p.Lines[j].Omits == 0 {
				keep[j] = x.order[next] < lines
				next++
				cut++
			}
			kept = kept || keep[j]
		}
		switch {
		case kept:
			x.part(&b, p, keep)
		case cut > 0:
			missing = append(missing, fmt.Sprintf("%s (%s)", cmp.Or(x.one(p.Title, 0), "message"), display.Plural(cut, "line")))
		}
	}
	if len(missing) > 0 {
		b.WriteString("\nleft out: " + strings.Join(missing, ", ") + "; a larger --size has them\n")
	}
	return b.String()
}

// one returns a text in one line, cut.
func (x *reportTexts) one(text string, used int) string {
	return string(format.AppendEscaped(nil, cutText([]byte(text), max(x.cut-used, 20))))
}

// part writes a section.
func (x *reportTexts) part(b *strings.Builder, p *ReportPart, keep []bool) {
	b.WriteByte('\n')
	if p.Title != "" {
		command := x.one(p.More, 0)
		switch {
		case x.markdown && command != "":
			command = " · " + codeOf(command)
		case command != "":
			command = " · " + command
		}
		title := x.one(p.Title, 0)
		if x.markdown {
			title = "#### " + plainWords.Replace(title)
		}
		b.WriteString(title + command + "\n")
	}
	var lines strings.Builder
	width := 0
	for i := range p.Lines {
		if keep[i] {
			width = max(width, utf8.RuneCountInString(p.Lines[i].Handle))
		}
	}
	for i := 0; i < len(p.Lines); {
		if keep[i] {
			x.line(&lines, &p.Lines[i], width)
			i++
			continue
		}
		depth, n, known := p.Lines[i].Depth, int64(0), true
		for ; i < len(p.Lines) && !keep[i]; i++ {
			depth = min(depth, p.Lines[i].Depth)
			known = known && p.Lines[i].Omits >= 0
			n += max(1, p.Lines[i].Omits)
		}
		text := "… " + display.Grouped(n) + " more"
		if !known {
			text = "… more"
		}
		x.line(&lines, &ReportLine{Depth: depth, Text: text}, width)
	}
	text := lines.String()
	if !x.markdown {
		b.WriteString(text)
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%s\n%s%s\n", fence+"text", text, fence)
}

// line writes a line.
func (x *reportTexts) line(b *strings.Builder, l *ReportLine, width int) {
	mark := "  "
	if l.Here {
		mark = "→ "
	}
	head := mark
	if width > 0 {
		head += l.Handle + strings.Repeat(" ", width-utf8.RuneCountInString(l.Handle)+2)
	}
	head += strings.Repeat("  ", min(l.Depth, maxReportIndent))
	place := ""
	if l.Place != "" {
		place = "  at " + x.one(l.Place, 0)
	}
	b.WriteString(strings.TrimRight(head+x.one(l.Text, len(head)+len(place))+place, " ") + "\n")
}

// maxReportIndent bounds the levels by which a line is indented.
const maxReportIndent = 40

// plainWords makes a text one without marks of Markdown.
var plainWords = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "&", `\&`, "~", `\~`, "|", `\|`)

// codeOf returns a text as code in Markdown.
func codeOf(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

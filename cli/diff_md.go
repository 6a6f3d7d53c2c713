package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// Of a diff in Markdown, the groups and the changes that are listed.
const (
	mostMarkdownGroups  = 15
	mostMarkdownChanges = 10
)

// markdown prints a diff for a pull request: what was compared, how much differs, the groups of changes, and the first changes.
func (x *diffReport) markdown(ctx context.Context) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Trace diff\n\n%s → %s\n\n**%s**\n", codeSpan(x.a.title()), codeSpan(x.b.title()), x.summary())
	if x.found.Counts().All() > 0 {
		if !x.stored {
			b.WriteString("\n| | old | new |\n| --- | ---: | ---: |\n")
			fmt.Fprintf(&b, "| calls | %s | %s |\n", display.Grouped(x.counts.Calls[0]), display.Grouped(x.counts.Calls[1]))
		}
		if n := x.counts.Threads; n != [2]int{} {
			fmt.Fprintf(&b, "| threads only here | %d | %d |\n", n[0], n[1])
		}
		x.markdownGroups(&b)
		if err := x.markdownChanges(ctx, &b); err != nil {
			return err
		}
	}
	_, err := x.stdout.WriteString(b.String())
	return err
}

// markdownGroups writes the kinds of changes as a table.
func (x *diffReport) markdownGroups(b *strings.Builder) {
	made := x.found.Table(query.View{Done: 1, G: &display.Unicode})
	places, kind, what, first := made.Column("places"), made.Column("kind"), made.Column("what"), made.Column("first")
	b.WriteString("\n| places | change | what | the first |\n| ---: | --- | --- | --- |\n")
	n := made.Rows.Len()
	for i := range min(n, mostMarkdownGroups) {
		row := made.Rows.Row(i)
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", display.Grouped(row[places].Int()), row[kind].Text(), markdownCell(row[what]), markdownCell(row[first]))
	}
	if n > mostMarkdownGroups {
		fmt.Fprintf(b, "\n%s more\n", display.Plural(int64(n-mostMarkdownGroups), "kind"))
	}
}

// markdownChanges writes the first changes as a block of code.
func (x *diffReport) markdownChanges(ctx context.Context, b *strings.Builder) error {
	var changes bytes.Buffer
	t := newDiffText(&changes)
	t.all, t.most = x.whole, mostMarkdownChanges
	if x.flags("limit") {
		t.most = int64(x.limit)
	}
	if x.r.ThreadList().Len() > 1 {
		t.heading = x.heading
	}
	if err := x.walk(ctx, t); err != nil {
		return err
	}
	t.w.Flush()
	all := x.found.Counts().All()
	title := display.Plural(all, "change")
	if t.told < all {
		title = "The first " + display.Grouped(t.told) + " of " + display.Plural(all, "change")
	}
	fence := "```"
	for strings.Contains(changes.String(), fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%sdiff\n%s%s\n\n</details>\n", title, fence, changes.String(), fence)
	return nil
}

// codeSpan returns a text as code.
func codeSpan(text string) string {
	text = printable(text)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// markdownCell returns a value as code in a table.
func markdownCell(v table.Value) string {
	if !v.Known() {
		return ""
	}
	return strings.ReplaceAll(codeSpan(v.Text()), "|", `\|`)
}

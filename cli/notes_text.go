package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tracex/lazy"
	"tracex/lazy/notes"
)

// noteJSON is a mark or a note as a line of JSON: see docs/json.md.
type noteJSON struct {
	Schema   int        `json:"schema"`
	Kind     string     `json:"kind"`
	Handle   string     `json:"handle"`
	Position string     `json:"position"`
	Event    *int32     `json:"event,omitempty"`
	Thread   int64      `json:"thread"`
	Mark     string     `json:"mark,omitempty"`
	Note     string     `json:"note,omitempty"`
	Time     *time.Time `json:"time,omitempty"`
	Author   string     `json:"author,omitempty"`
	Text     string     `json:"text,omitempty"`
	Path     []string   `json:"path,omitempty"`
	Problem  string     `json:"problem,omitempty"`
}

// notesSchema is the version of these lines. Adding a member does not change it.
const notesSchema = 1

func newNoteJSON(it *notes.Item, q notes.Quoted, problem error) noteJSON {
	l := noteJSON{
		Schema: notesSchema, Kind: "note", Handle: it.Handle().String(), Position: lazy.PositionHandle(it.At).String(),
		Thread: int64(it.At.Thread) + 1, Note: it.Text, Author: it.Author, Text: q.Text, Path: q.Path,
	}
	if it.Mark != 0 {
		l.Kind, l.Mark = "mark", string(rune(it.Mark))
	}
	if it.At.At >= 0 {
		l.Event = &it.Event
	}
	if !it.Time.IsZero() {
		l.Time = &it.Time
	}
	if problem != nil {
		l.Problem = message(problem)
	}
	return l
}

// quotedLine returns a row with the name of the call around it.
func quotedLine(q notes.Quoted, problem error) string {
	if problem != nil {
		return "(" + printable(message(problem)) + ")"
	}
	line := printable(q.Text)
	if k := len(q.Path); k > 0 {
		line += "  in " + printable(q.Path[k-1])
	}
	return line
}

// threadName returns the number of a thread with its name, if it has one.
func threadName(r *lazy.LazyTraceReader, id int32) string {
	text := fmt.Sprintf("thread %d", int64(id)+1)
	if t, ok := r.ThreadInfo(id); ok && t.Name != "" {
		text += " (" + printable(t.Name) + ")"
	}
	return text
}

// widestColumn bounds the width to which a column is filled up.
const widestColumn = 40

// writeColumns writes rows with their columns below each other.
func writeColumns(w io.Writer, rows [][4]string) error {
	var width [4]int
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], min(widestColumn, ansi.StringWidth(cell)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", max(0, width[i]-ansi.StringWidth(cell))+2))
			}
		}
		if _, err := fmt.Fprintln(w, line.String()); err != nil {
			return err
		}
	}
	return nil
}

// writePlace writes the heading of a place, with the command that shows it.
func writePlace(w io.Writer, r *lazy.LazyTraceReader, it *notes.Item, place lazy.Handle, path string) {
	address := "'" + strings.ReplaceAll(path+place.String(), "'", `'\''`) + "'"
	fmt.Fprintf(w, "\n## `%s` · %s\n\n", place, threadName(r, it.At.Thread))
	fence := fenceFor(address)
	fmt.Fprintf(w, "%s\ntracex %s\n%s\n\n", fence, address, fence)
}

// writeQuoted writes the row of a place as a block of code, with the path to it.
func writeQuoted(w io.Writer, q notes.Quoted, problem error) {
	if problem != nil {
		fmt.Fprintf(w, "The row cannot be quoted: %s\n", printable(message(problem)))
		return
	}
	path := strings.Join(q.Path, " › ")
	if q.Cut {
		path = "… › " + path
	}
	lines := printable(q.Text)
	if path != "" {
		lines = printable(path) + "\n  " + lines
	}
	fence := fenceFor(lines)
	fmt.Fprintf(w, "%s\n%s\n%s\n", fence, lines, fence)
	if q.Folded {
		fmt.Fprint(w, "\nOnly `--raw` shows this row.\n")
	}
}

// fenceFor returns a fence for a block of code with a text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// writeNote writes the text of a note and who made it, or the letter of a mark.
func writeNote(w io.Writer, it *notes.Item) {
	if it.Mark != 0 {
		fmt.Fprintf(w, "\nMark `%c`\n", it.Mark)
		return
	}
	fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(it.Text))
	var by []string
	if it.Author != "" {
		by = append(by, it.Author)
	}
	if !it.Time.IsZero() {
		by = append(by, it.Time.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if len(by) > 0 {
		fmt.Fprintf(w, "\n— %s\n", strings.Join(by, ", "))
	}
}

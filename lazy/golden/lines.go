package golden

import (
	"bytes"
	"fmt"
	"slices"

	"tracex/format"
	"tracex/lazy/diff"
)

// around is how many lines are shown before and after lines that differ.
const around = 3

// edit is a line of the old text, of the new one, or of both.
type edit struct {
	mark byte // ' ', '-' or '+'
	line []byte
}

// splitLines returns the lines of a text, without their ends.
func splitLines(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// edits returns what leads from one list of lines to another. What is removed comes before what is added.
func edits(a, b [][]byte) (list []edit) {
	diff.Lines(a, b, func(s format.DiffStatus, line []byte) {
		list = append(list, edit{markOf(s), line})
	})
	return list
}

// markOf returns what diff -u writes before a line.
func markOf(s format.DiffStatus) byte {
	switch s {
	case format.DiffRemoved:
		return '-'
	case format.DiffAdded:
		return '+'
	}
	return ' '
}

// unified returns edits as diff -u writes them, and counts the lines.
func unified(oldName, newName string, list []edit) (d Difference) {
	out := bytes.NewBufferString("--- " + oldName + "\n+++ " + newName + "\n")
	a, b := 1, 1 // numbers of the lines at i
	for i := 0; i < len(list); {
		from, to := hunk(list, i)
		if from < 0 {
			break
		}
		a, b = a+from-i, b+from-i
		before, after := count(list[from:to])
		fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", a, before, b, after)
		for _, e := range list[from:to] {
			out.WriteByte(e.mark)
			out.Write(e.line)
			out.WriteByte('\n')
			switch e.mark {
			case '-':
				d.Removed++
			case '+':
				d.Added++
			}
		}
		a, b, i = a+before, b+after, to
	}
	d.Text = out.Bytes()
	return d
}

// hunk returns the next lines that differ, from i on, with those around them; -1 if there are none.
func hunk(list []edit, i int) (from, to int) {
	differs := func(e edit) bool { return e.mark != ' ' }
	first := slices.IndexFunc(list[i:], differs)
	if first < 0 {
		return -1, 0
	}
	from, to = max(i, i+first-around), i+first
	for {
		next := slices.IndexFunc(list[to:], differs)
		if next < 0 || next > 2*around {
			return from, min(to+around, len(list))
		}
		to += next + 1
	}
}

// count returns how many lines edits have of the old and of the new text.
func count(list []edit) (a, b int) {
	for _, e := range list {
		if e.mark != '+' {
			a++
		}
		if e.mark != '-' {
			b++
		}
	}
	return a, b
}

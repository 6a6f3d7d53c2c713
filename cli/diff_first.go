package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// showFirst prints the first place where two traces part.
func (t *diffCommand) showFirst(ctx context.Context, a, b diffSide) error {
	d := diff.New(a.r, b.r, t.options(&a, &b))
	p := t.newProgress("comparing")
	found, err := d.First(ctx, p.Update)
	p.End()
	if err = errors.Join(rawHint(err), d.Close()); err != nil {
		return err
	}
	w := bufio.NewWriter(t.stdout)
	if found == nil {
		fmt.Fprintf(w, "%s → %s\nequal\n", printable(a.title()), printable(b.title()))
		return w.Flush()
	}
	what := "another value"
	if found.Other {
		what = "another event"
	}
	fmt.Fprintf(w, "%s → %s\nthe first difference: %s, after %s\n", printable(a.title()), printable(b.title()), what, display.Plural(found.Same, "equal event"))
	for i, side := range []diffSide{a, b} {
		if err := t.firstSide(ctx, w, []string{"old", "new"}[i], side, found.Sides[i]); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(t.stderr, "hint: without --first, all differences are shown")
	if t.exitCode {
		return &unexpectedError{a.title() + " and " + b.title() + " are different"}
	}
	return nil
}

// firstSide prints where the first difference is in one of the traces: what is around it, its row, and the command that opens it.
func (t *diffCommand) firstSide(ctx context.Context, w *bufio.Writer, name string, side diffSide, at diff.Place) error {
	fmt.Fprintf(w, "\n%s  ", name)
	switch {
	case at.Missing && at.Thread < 0:
		fmt.Fprintln(w, "has no such thread")
		return nil
	case at.Missing:
		fmt.Fprintln(w, "nothing more is in "+threadTitle(side.r, at.Thread))
		return nil
	}
	tree := side.r.Tree(false)
	n, err := lazy.RevealAlone(ctx, tree, at.Position)
	if err != nil {
		return err
	}
	var path []string
	side.r.WithContext(func(c *format.Context) {
		for p := n.Parent(); p != nil && !p.IsThread(); p = p.Parent() {
			path = append(path, query.Subject(c, p.Point()))
		}
	})
	fmt.Fprint(w, threadTitle(side.r, at.Thread))
	for i := len(path) - 1; i >= 0; i-- {
		fmt.Fprint(w, " › ", string(format.AppendEscaped(nil, path[i])))
	}
	var row bytes.Buffer
	if err := side.r.PrintAt(ctx, &row, lazy.PrintOptions{Escape: true}, at.Position, false, lazy.PrintRange{}); err != nil {
		return err
	}
	text := strings.TrimSpace(row.String())
	if at.End {
		text = "the end of " + text
	}
	address := lazy.EventHandle(at.Event)
	if other, err := side.r.AlsoIn(ctx, at.Event, at.Position, 1); err != nil || len(other) > 0 {
		address = lazy.PositionHandle(at.Position)
	}
	fmt.Fprintf(w, "\n     %s\n     tracex '%s%s'\n", text, side.name, address)
	return nil
}

// threadTitle names a thread.
func threadTitle(r *lazy.LazyTraceReader, id int32) string {
	text := fmt.Sprintf("thread %d", int64(id)+1)
	if info, ok := r.ThreadInfo(id); ok && info.Name != "" {
		text += " (" + string(format.AppendEscaped(nil, info.Name)) + ")"
	}
	return text
}

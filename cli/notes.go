package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/notes"
)

// notesCommand is the command notes with its flags and subcommands.
type notesCommand struct {
	*app
	json bool
}

func newNotesCommand(a *app) *cobra.Command {
	n := &notesCommand{app: a}
	c := &cobra.Command{
		Use:   "notes FILE",
		Short: "List, add or remove notes on a trace",
		Long: "List the marks and notes that were made in the explorer (m, A) or with notes add. " +
			"They are in FILE.notes, beside the trace, which never changes.",
		Example: `tracex notes trace.bin
tracex notes --json trace.bin | jq -r 'select(.note).handle'
tracex notes add trace.bin '#182771' 'balance below 0'
tracex notes report trace.bin > report.md`,
		Args: a.oneTrace,
	}
	c.Flags().BoolVar(&n.json, "json", false, "one JSON object per line and note")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		return n.withNotes(ctx, path, func(r *lazy.LazyTraceReader, b *notes.Book) error { return n.list(ctx, r, b) })
	})
	c.AddCommand(
		&cobra.Command{
			Use:     "add FILE PLACE TEXT",
			Short:   "Add a note at a place: '#182771' or '@3+88120'",
			Example: "tracex notes add trace.bin '#182771' 'balance below 0'\ntracex notes add 'trace.bin#182771' 'the same'",
			Args:    cobra.ArbitraryArgs,
			RunE:    func(c *cobra.Command, args []string) error { return n.add(c, args) },
		},
		&cobra.Command{
			Use:     "remove FILE PLACE",
			Short:   "Remove the marks and notes at a place",
			Example: "tracex notes remove trace.bin '#182771'",
			Args:    cobra.ArbitraryArgs,
			RunE:    func(c *cobra.Command, args []string) error { return n.remove(c, args) },
		},
		&cobra.Command{
			Use:     "report FILE",
			Short:   "Print notes as Markdown, with rows and addresses",
			Example: "tracex notes report trace.bin > report.md",
			Args:    a.oneTrace,
			RunE: onTrace(func(ctx context.Context, path string) error {
				return n.withNotes(ctx, path, func(r *lazy.LazyTraceReader, b *notes.Book) error { return n.report(ctx, path, r, b) })
			}),
		})
	return c
}

// notesOptions are how all commands open notes.
func notesOptions(noWrite bool) notes.Options {
	variable := "USER"
	if runtime.GOOS == "windows" {
		variable = "USERNAME"
	}
	return notes.Options{Author: os.Getenv(variable), NoWrite: noWrite}
}

// errNoNotes refuses traces that have no file of their own to put notes beside.
var errNoNotes = &usageError{"notes are kept beside a trace's file, and standard input or a pipe has none", "write the trace to a file first"}

// openBook opens the notes of a trace, and remarks that some of them cannot be read.
func (n *notesCommand) openBook(path string) (*notes.Book, error) {
	b, err := notes.Open(path, notesOptions(false))
	if err != nil {
		return nil, err
	}
	if to := b.Aside(); to != "" {
		n.remark(b.Path(), errors.New(notesAside(to)))
	}
	if k := b.Damaged(); k > 0 {
		n.remark(b.Path(), fmt.Errorf("%s cannot be read; the file keeps what is there", counted(int64(k), "line")))
	}
	return b, nil
}

// notesAside tells what becomes of notes of another trace.
func notesAside(to string) string {
	return "belongs to another trace; it becomes " + filepath.Base(to) + " when there are notes to keep of this one"
}

// withNotes opens a trace and its notes.
func (n *notesCommand) withNotes(ctx context.Context, path string, use func(r *lazy.LazyTraceReader, b *notes.Book) error) error {
	if path == "-" {
		return errNoNotes
	}
	return n.withTrace(ctx, path, func(in *input, r *lazy.LazyTraceReader) error {
		if in.dir != "" && in.rest == nil {
			return errNoNotes
		}
		path := in.name
		if in.made.Cached() {
			path = in.path
		}
		b, err := n.openBook(path)
		if err != nil {
			return err
		}
		return use(r, b)
	})
}

// fileAndPlace splits arguments into a file, a place in its trace, and the rest.
func (n *notesCommand) fileAndPlace(c *cobra.Command, args []string) (path string, h lazy.Handle, rest []string, err error) {
	if len(args) == 0 {
		return "", h, nil, n.oneTrace(c, args)
	}
	path, at := splitPlace(args[0])
	rest = args[1:]
	if path == "-" {
		return "", h, nil, errNoNotes
	}
	if at.given {
		return path, at.handle, rest, nil
	}
	if len(rest) == 0 {
		return "", h, nil, &usageError{nameOf(c) + " needs a place in the trace", c.CommandPath() + " " + path + " '#1204'"}
	}
	h, err = placeArgument(rest[0])
	return path, h, rest[1:], err
}

// add adds a note.
func (n *notesCommand) add(c *cobra.Command, args []string) error {
	path, h, words, err := n.fileAndPlace(c, args)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(strings.Join(words, " "))
	if text == "" {
		return &usageError{nameOf(c) + " needs the text of the note", c.UseLine()}
	}
	ctx := c.Context()
	return n.withNotes(ctx, path, func(r *lazy.LazyTraceReader, b *notes.Book) error {
		at, event, err := r.Find(ctx, h)
		if err != nil {
			return errors.Join(err, r.Status().Problem)
		}
		if h.Numbered {
			if err := unambiguous(ctx, r, event, at); err != nil {
				return err
			}
		}
		b.Put(notes.Item{Text: text, At: at, Event: event})
		return b.Save()
	})
}

// list prints all marks and notes, one a line.
func (n *notesCommand) list(ctx context.Context, r *lazy.LazyTraceReader, b *notes.Book) error {
	quoter := notes.NewQuoter(r)
	encoder := json.NewEncoder(n.stdout)
	encoder.SetEscapeHTML(false)
	var rows [][4]string
	for _, it := range b.Items() {
		q, problem := quoter.Quote(ctx, &it)
		if err := ctx.Err(); err != nil {
			return err
		}
		if n.json {
			if err := encoder.Encode(newNoteJSON(&it, q, problem)); err != nil {
				return err
			}
			continue
		}
		what := "'" + string(rune(it.Mark))
		if it.Mark == 0 {
			what = printable(it.FirstLine())
		}
		rows = append(rows, [4]string{it.Handle().String(), threadName(r, it.At.Thread), what, quotedLine(q, problem)})
	}
	if len(b.Items()) == 0 {
		fmt.Fprintln(n.stderr, "hint: there are no notes; tracex notes add makes one, and in tracex open the key m")
	}
	return writeColumns(n.stdout, rows)
}

// report prints the notes as Markdown. A mark is a note without a text.
func (n *notesCommand) report(ctx context.Context, path string, r *lazy.LazyTraceReader, b *notes.Book) error {
	quoter := notes.NewQuoter(r)
	var text strings.Builder
	fmt.Fprintf(&text, "# Notes on %s\n", filepath.Base(path))
	items := b.Items()
	if len(items) == 0 {
		text.WriteString("\nThere are no notes.\n")
	}
	for i, it := range items {
		q, problem := quoter.Quote(ctx, &it)
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 || items[i-1].At != it.At {
			place := it.Handle()
			if it.At.At >= 0 && n.ambiguous(ctx, r, &it) {
				place = lazy.PositionHandle(it.At)
			}
			writePlace(&text, r, &it, place, path)
			writeQuoted(&text, q, problem)
		}
		writeNote(&text, &it)
	}
	_, err := io.WriteString(n.stdout, text.String())
	return err
}

// ambiguous reports whether another thread has an event of the same number.
func (n *notesCommand) ambiguous(ctx context.Context, r *lazy.LazyTraceReader, it *notes.Item) bool {
	others, err := r.AlsoIn(ctx, it.Event, it.At, 1)
	return err == nil && len(others) > 0
}

// unambiguous refuses the number of an event that another thread has too.
func unambiguous(ctx context.Context, r *lazy.LazyTraceReader, event int32, at lazy.Position) error {
	others, err := r.AlsoIn(ctx, event, at, 8)
	if err != nil || len(others) == 0 {
		return err
	}
	ids := []int64{int64(at.Thread) + 1}
	for _, id := range others {
		ids = append(ids, int64(id)+1)
	}
	return withHint(fmt.Errorf("several threads have an event %d", event),
		fmt.Sprintf("threads: %s; the first is at %s", ranges(ids), lazy.PositionHandle(at)))
}

// remove removes the marks and notes at a place. It does not look at the trace's events: the
// place may be gone.
func (n *notesCommand) remove(c *cobra.Command, args []string) error {
	path, h, rest, err := n.fileAndPlace(c, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{nameOf(c) + " takes one place, but got " + strings.Join(rest, " "), usageHint(c)}
	}
	b, err := n.openBook(path)
	if err != nil {
		return err
	}
	marks, texts := int64(0), int64(0)
	for _, it := range b.Items() {
		if it.Handle() == h || lazy.PositionHandle(it.At) == h {
			b.Remove(it.ID)
			if it.Mark != 0 {
				marks++
			} else {
				texts++
			}
		}
	}
	if marks+texts == 0 {
		return withHint(fmt.Errorf("no mark or note at %s", h), "tracex notes "+path+" lists them")
	}
	if err := b.Save(); err != nil {
		return err
	}
	var removed []string
	if marks > 0 {
		removed = append(removed, counted(marks, "mark"))
	}
	if texts > 0 {
		removed = append(removed, counted(texts, "note"))
	}
	_, err = fmt.Fprintln(n.stdout, "removed", strings.Join(removed, " and "))
	return err
}

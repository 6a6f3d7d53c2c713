package tree

import (
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// Copying puts what is at the cursor on the clipboard.
type Copying struct {
	env.Copier
	env  *env.Env
	tree *Tree
}

// NewCopying returns the Copying of a tree, to the clipboard of this system.
func NewCopying(e *env.Env, t *Tree) *Copying { return &Copying{env.NewCopier(e, env.Own()), e, t} }

// Do does what a command does that copies.
func (c *Copying) Do(command keys.Name) tea.Cmd {
	n := c.tree.Out.Cursor.Node
	switch {
	case n == nil:
		return c.env.Say("nothing to copy: the row is not loaded")
	case command == keys.CopyRow:
		text, _ := c.tree.Out.Text(n)
		return c.Copy(strings.ReplaceAll(text, "\n", `\n`), "the row")
	case command == keys.CopyPath:
		return c.path()
	case command == keys.CopyAddress:
		return c.address(n)
	}
	return c.subtree(n)
}

// path puts the path to the row on the clipboard, one line for each call.
func (c *Copying) path() tea.Cmd {
	var text strings.Builder
	path := screen.Path(c.tree.Out.Cursor)
	for i, n := range path {
		text.WriteString(strings.Repeat("  ", i) + string(c.tree.Out.Tree.AppendText(nil, n, false)) + "\n")
	}
	return c.Copy(text.String(), "the path, "+display.Plural(int64(len(path)), "line")+",")
}

// address copies the address of the row, as commands take it: its event's number, or its position if that occurs twice.
func (c *Copying) address(n *lazy.Node) tea.Cmd {
	h, clip, life, r, file := n.Handle(), c.Copier, c.env.Life, c.env.Trace.Reader, c.env.Trace.File()
	if c.env.Trace.Named() {
		file = ""
	}
	at := n.Position()
	return func() tea.Msg {
		if h.Numbered {
			if others, err := r.AlsoIn(life, h.Event, at, 1); err == nil && len(others) > 0 {
				h = lazy.PositionHandle(at)
			}
		}
		return clip.Copy(env.Quote(file+h.String()), "the address")()
	}
}

// subtree puts the row and everything below it on the clipboard, as the command print prints it.
func (c *Copying) subtree(n *lazy.Node) tea.Cmd {
	r, o := c.env.Trace.Reader, lazy.PrintOptions{Folded: c.tree.Out.Tree.Folded(), Verbose: c.tree.Out.Wide}
	thread, at := n.Thread(), n.Position()
	if n.IsThread() {
		return c.CopyPrinted("the thread", func(ctx context.Context, w io.Writer) error {
			return r.Print(ctx, w, o, lazy.PrintRange{Thread: &thread})
		})
	}
	return c.CopyPrinted("the subtree", func(ctx context.Context, w io.Writer) error {
		return r.PrintAt(ctx, w, o, at, true, lazy.PrintRange{})
	})
}

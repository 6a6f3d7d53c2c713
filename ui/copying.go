package ui

import (
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/clipboard"
	"tracex/ui/internal/env"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/shell"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// copying puts what is at the cursor on the clipboard.
type copying struct {
	clipboard.Copier
	env   *env.Env
	trace *tracestate.State
	tree  *tree.Part
}

const nothingToCopy = "nothing to copy: the row is not loaded"

// row puts the text of the row on the clipboard.
func (c *copying) row(int) tea.Cmd {
	n := c.tree.Out.Cursor.Node
	if n == nil {
		c.env.Say(nothingToCopy)
		return nil
	}
	text, _ := c.tree.Out.Text(n)
	return c.Copy(strings.ReplaceAll(text, "\n", `\n`), "the row")
}

// path puts the path to the row on the clipboard, one line for each call.
func (c *copying) path(int) tea.Cmd {
	if c.tree.Out.Cursor.Node == nil {
		c.env.Say(nothingToCopy)
		return nil
	}
	text, lines := nodetext.PathText(c.tree.Out.Tree, c.tree.Out.Cursor)
	return c.Copy(text, "the path, "+screen.Plural(int64(lines), "line")+",")
}

// address puts the address of the row on the clipboard, which commands take as an argument.
// If the number of its event occurs twice, the address has the position instead.
func (c *copying) address(int) tea.Cmd {
	n := c.tree.Out.Cursor.Node
	if n == nil {
		c.env.Say(nothingToCopy)
		return nil
	}
	h, clip, life, r, file := n.Handle(), c.Copier, c.env.Life, c.trace.Reader, c.trace.File()
	if c.trace.Named() {
		file = ""
	}
	at := n.Position()
	return func() tea.Msg {
		if h.Numbered {
			if others, err := r.AlsoIn(life, h.Event, at, 1); err == nil && len(others) > 0 {
				h = lazy.PositionHandle(at)
			}
		}
		return clip.Copy(shell.Quote(file+h.String()), "the address")()
	}
}

// subtree puts the row and everything below it on the clipboard, as the command print prints it.
func (c *copying) subtree(int) tea.Cmd {
	n := c.tree.Out.Cursor.Node
	if n == nil {
		c.env.Say(nothingToCopy)
		return nil
	}
	r, o := c.trace.Reader, lazy.PrintOptions{Folded: c.tree.Out.Tree.Folded(), Verbose: c.tree.Out.Wide}
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

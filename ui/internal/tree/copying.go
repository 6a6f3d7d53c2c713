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
	case command == keys.CopyAddress && c.env.Trace.Made():
		return c.sideAddress(n)
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

// sideAddress copies the address of a row of a diff in B, or in A if it is only there.
func (c *Copying) sideAddress(n *lazy.Node) tea.Cmd {
	in, known := c.tree.SidePlaces(n)
	for _, side := range []int{1, 0} {
		if in[side] != "" {
			return c.Copy(env.Quote(c.env.Trace.Diff.Sides[side].Path+in[side]), "the address in "+[]string{"A", "B"}[side])
		}
	}
	if n.Point() != nil && !known {
		return c.env.Say("not known yet: where the row is in A and in B")
	}
	return c.env.Say("no row that A or B has: nothing to copy")
}

// Named returns how users name what a handle does: so, but an event of a diff made by the explorer by its place in B, or in
// A if it is only there. It may read a file.
func (p *Tree) Named(h lazy.Handle) string {
	if p.pairs == nil || !h.Numbered {
		return h.String()
	}
	pair, err := p.pairs.from.Of(h.Event)
	for _, side := range []int{1, 0} {
		if at := pair.At[side]; err == nil && at.At >= 0 {
			return []string{"A ", "B "}[side] + lazy.PositionHandle(at).String()
		}
	}
	return p.env.Glyphs.None
}

// SidePlaces returns the handles of a row of a diff in A and in B, as addresses have them; "" where it is not. known is
// false while that is not known, and for rows that neither has.
func (p *Tree) SidePlaces(n *lazy.Node) (in [2]string, known bool) {
	pair, known := p.pairs.Of(n)
	for i, at := range pair.At {
		if known && at.At >= 0 {
			in[i] = lazy.PositionHandle(at).String()
		}
	}
	return in, known
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

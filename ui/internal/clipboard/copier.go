package clipboard

import (
	"context"
	"errors"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// Copier copies texts in the background.
type Copier struct {
	Clipboard
	env *env.Env
}

// NewCopier returns a Copier that uses a clipboard.
func NewCopier(e *env.Env, c Clipboard) Copier { return Copier{c, e} }

// Copy puts a text on the clipboard; name is its name in the message.
func (c Copier) Copy(text, name string) tea.Cmd {
	text, cut := Safe(text)
	if cut {
		name = "the first " + screen.Size(Most) + " of " + name
	}
	life := c.env.Life
	return func() tea.Msg { return Copied{name: name, text: text, shown: text, to: c.Put(life, text)} }
}

// CopyPrinted puts on the clipboard the lines that print writes, up to [MostPrinted], or [Most] if
// only the terminal can copy; name is the text's name in the message.
func (c Copier) CopyPrinted(name string, print func(ctx context.Context, w io.Writer) error) tea.Cmd {
	life := c.env.Life
	return func() tea.Msg {
		b := new(begin)
		err := print(life, b)
		if err != nil && !b.full {
			return Copied{name: name, err: err}
		}
		text := escaped(strings.TrimSuffix(string(b.text), "\n"))
		head, cut := lines(text, MostPrinted)
		to := c.Put(life, head)
		if to == "" {
			head, cut = lines(text, Most)
		}
		count := screen.Plural(int64(1+strings.Count(head, "\n")), "line") + " of "
		if b.full || cut {
			count = "only the first " + count
		}
		first, _, _ := strings.Cut(head, "\n")
		return Copied{name: count + name, text: head, shown: first, to: to}
	}
}

// lines returns the first lines of a text that fit in a number of bytes, and whether there are more. A
// first line that does not fit is cut.
func lines(text string, most int) (head string, cut bool) {
	if len(text) <= most {
		return text, false
	}
	if end := strings.LastIndexByte(text[:most+1], '\n'); end > 0 {
		return text[:end], true
	}
	return strings.ToValidUTF8(text[:most], ""), true
}

// begin keeps the beginning of what is written, a little more than MostPrinted bytes.
type begin struct {
	text []byte
	full bool // more was written
}

var errFull = errors.New("enough for the clipboard")

func (b *begin) Write(p []byte) (int, error) {
	n := min(len(p), MostPrinted+1-len(b.text))
	b.text = append(b.text, p[:n]...)
	if n < len(p) {
		b.full = true
		return n, errFull
	}
	return n, nil
}

// Copied is the result of copying, for Update.
type Copied struct {
	name, text string
	shown      string // the part of the text that the message shows
	to         string // "" if the terminal has to be asked
	err        error  // why there is nothing to copy
}

// Update handles the result of copying.
func (c Copier) Update(msg Copied) tea.Cmd {
	if msg.err != nil {
		c.env.Fail("cannot copy "+msg.name, msg.err)
		return nil
	}
	var cmd tea.Cmd
	head := "copied " + msg.name + " to " + msg.to
	if msg.to == "" {
		// A terminal does not report whether it accepts this.
		head = "sent " + msg.name + " to the terminal (OSC 52)"
		cmd = tea.SetClipboard(msg.text)
	}
	if room := c.env.Width - len(head) - 6; room >= 20 {
		head += ": " + screen.CutMiddle(msg.shown, room, c.env.Glyphs)
	}
	c.env.Say(head)
	return cmd
}

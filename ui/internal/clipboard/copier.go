package clipboard

import (
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
	return func() tea.Msg { return Copied{name, text, c.Put(life, text)} }
}

// Copied is the result of copying, for Update.
type Copied struct {
	name, text string
	to         string // "" if the terminal has to be asked
}

// Update handles the result of copying.
func (c Copier) Update(msg Copied) tea.Cmd {
	var cmd tea.Cmd
	head := "copied " + msg.name + " to " + msg.to
	if msg.to == "" {
		// A terminal does not report whether it accepts this.
		head = "sent " + msg.name + " to the terminal (OSC 52)"
		cmd = tea.SetClipboard(msg.text)
	}
	if room := c.env.Width - len(head) - 6; room >= 20 {
		head += ": " + screen.CutMiddle(msg.text, room, c.env.Glyphs)
	}
	c.env.Say(head)
	return cmd
}

package env

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy/query/display"
)

// copyWait bounds how long a program may take to accept the text.
const copyWait = 5 * time.Second

// Most bounds the text copied, in bytes; many terminals accept no more.
const Most = 74_000

// MostPrinted bounds a long text for a program, which accepts more than a terminal.
const MostPrinted = 4 << 20

// escaped escapes the control characters of a text, except ends of lines: they could run a command where they are pasted.
func escaped(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = string(format.AppendEscaped(nil, line))
	}
	return strings.Join(lines, "\n")
}

// Clipboard is the programs with which this system copies, the best first.
type Clipboard []tool

// tool is a program that copies its standard input.
type tool struct {
	command []string
	to      string // where the text is afterwards
	utf16   bool   // the program accepts only UTF-16
}

// System returns the programs available in the environment. Inside tmux that is tmux, which informs its own terminal.
// Over ssh there is none: only the terminal is on the user's machine.
func System(system string, getenv func(string) string) (c Clipboard) {
	add := func(to string, command ...string) {
		c = append(c, tool{command: command, to: to, utf16: command[0] == "clip.exe"})
	}
	if getenv("TMUX") != "" {
		add("tmux's buffer", "tmux", "load-buffer", "-w", "-")
		add("tmux's buffer", "tmux", "load-buffer", "-") // before 3.2
	}
	if getenv("SSH_TTY") != "" || getenv("SSH_CONNECTION") != "" {
		return c
	}
	switch {
	case system == "darwin":
		add("the clipboard (pbcopy)", "pbcopy")
	case system == "windows" || getenv("WSL_DISTRO_NAME") != "":
		add("the clipboard (clip.exe)", "clip.exe")
	}
	if getenv("WAYLAND_DISPLAY") != "" {
		add("the clipboard (wl-copy)", "wl-copy")
	}
	if getenv("DISPLAY") != "" {
		add("the clipboard (xclip)", "xclip", "-selection", "clipboard")
		add("the clipboard (xsel)", "xsel", "--clipboard", "--input")
	}
	return c
}

func Own() Clipboard { return System(runtime.GOOS, os.Getenv) }

// Put hands text to the first program that accepts it, and returns where it is then; "" if none did.
func (c Clipboard) Put(ctx context.Context, text string) (to string) {
	for _, tool := range c {
		if tool.run(ctx, text) == nil {
			return tool.to
		}
	}
	return ""
}

func (t tool) run(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, copyWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.command[0], t.command[1:]...)
	cmd.WaitDelay = time.Second // some keep running, to serve the text
	if t.utf16 {
		b := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
		text = string(b)
	}
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run()
}

// Copier copies texts in the background.
type Copier struct {
	Clipboard
	env *Env
}

func NewCopier(e *Env, c Clipboard) Copier { return Copier{c, e} }

// Copy puts a text on the clipboard; name is its name in the message.
func (c Copier) Copy(text, name string) tea.Cmd {
	if text = escaped(text); len(text) > Most {
		text, name = text[:Most], "the first "+display.Size(Most)+" of "+name
	}
	life := c.env.Life
	return func() tea.Msg { return Copied{name: name, text: text, shown: text, to: c.Put(life, text)} }
}

// CopyPrinted copies the lines that print writes, up to [MostPrinted], or [Most] if only the terminal can copy.
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
		count := display.Plural(int64(1+strings.Count(head, "\n")), "line") + " of "
		if b.full || cut {
			count = "only the first " + count
		}
		first, _, _ := strings.Cut(head, "\n")
		return Copied{name: count + name, text: head, shown: first, to: to}
	}
}

// lines returns the first lines that fit in a number of bytes, and whether there are more. It may cut the first.
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

func (c Copier) Update(msg Copied) tea.Cmd {
	if msg.err != nil {
		return c.env.Fail("cannot copy "+msg.name, msg.err)
	}
	var cmd tea.Cmd
	head := "copied " + msg.name + " to " + msg.to
	if msg.to == "" {
		// A terminal does not report whether it accepts this.
		head = "sent " + msg.name + " to the terminal (OSC 52)"
		cmd = tea.SetClipboard(msg.text)
	}
	if room := c.env.Width - len(head) - 6; room >= 20 {
		head += ": " + c.env.Glyphs.CutMiddle(msg.shown, room)
	}
	c.env.Say(head)
	return cmd
}

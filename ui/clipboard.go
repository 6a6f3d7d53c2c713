package ui

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// copyWait bounds how long a program may take to take what is copied.
const copyWait = 5 * time.Second

// clipboard knows how this system copies. The zero value knows no program for it.
type clipboard struct {
	tools []copyTool // the best first
}

// copyTool is a program that takes from its standard input what is copied.
type copyTool struct {
	command []string
	to      string // what the text is in then
	utf16   bool   // the program takes nothing else
}

// systemClipboard returns what the environment has. Inside tmux it is tmux,
// which tells its own terminal; over ssh nothing but the terminal is near the
// person.
func systemClipboard(system string, getenv func(string) string) clipboard {
	var c clipboard
	add := func(to string, command ...string) {
		c.tools = append(c.tools, copyTool{command: command, to: to, utf16: command[0] == "clip.exe"})
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

func ownClipboard() clipboard { return systemClipboard(runtime.GOOS, os.Getenv) }

// put hands text to the first program that takes it, and says which; "" when
// none did.
func (c clipboard) put(ctx context.Context, text string) (to string) {
	for _, tool := range c.tools {
		if tool.run(ctx, text) == nil {
			return tool.to
		}
	}
	return ""
}

func (t copyTool) run(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, copyWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.command[0], t.command[1:]...)
	cmd.WaitDelay = time.Second // some stay, to serve what they have taken
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

// copied is the end of copying.
type copied struct {
	what, text string
	to         string // "": the terminal is to be asked
}

func (c copied) apply(m *Model) tea.Cmd {
	var cmd tea.Cmd
	head := "copied " + c.what + " to " + c.to
	if c.to == "" {
		// A terminal does not say whether it takes this.
		head = "sent " + c.what + " to the terminal (OSC 52)"
		cmd = tea.SetClipboard(c.text)
	}
	if room := m.width - len(head) - 6; room >= 20 {
		head += ": " + screen.CutMiddle(c.text, room, m.g)
	}
	m.say(head)
	return cmd
}

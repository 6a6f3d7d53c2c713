package clipboard

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	"tracex/format"
)

// copyWait bounds how long a program may take to take what is copied.
const copyWait = 5 * time.Second

// Most bounds what is copied, in bytes; many terminals take no more.
const Most = 74_000

// Safe returns what may be copied of a text: control characters, which could run a
// command where it is pasted, are escaped, and what is too much is cut.
func Safe(text string) (copied string, cut bool) {
	var b []byte
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b = append(b, '\n')
		}
		b = format.AppendEscaped(b, line)
	}
	return string(b[:min(len(b), Most)]), len(b) > Most
}

// Clipboard knows how this system copies. The zero value knows no program for it.
type Clipboard struct {
	tools []tool // the best first
}

// tool is a program that takes from its standard input what is copied.
type tool struct {
	command []string
	to      string // what the text is in then
	utf16   bool   // the program takes nothing else
}

// System returns what the environment has. Inside tmux it is tmux,
// which tells its own terminal; over ssh nothing but the terminal is near the
// person.
func System(system string, getenv func(string) string) Clipboard {
	var c Clipboard
	add := func(to string, command ...string) {
		c.tools = append(c.tools, tool{command: command, to: to, utf16: command[0] == "clip.exe"})
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

// Put hands text to the first program that takes it, and says which; "" when
// none did.
func (c Clipboard) Put(ctx context.Context, text string) (to string) {
	for _, tool := range c.tools {
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

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

// copyWait bounds how long a program may take to accept the text.
const copyWait = 5 * time.Second

// Most bounds the text copied, in bytes; many terminals accept no more.
const Most = 74_000

// MostPrinted bounds a long text for a program, which accepts more than a terminal.
const MostPrinted = 4 << 20

// Safe returns the part of a text that may be copied. It escapes control characters, which
// could run a command where they are pasted, and cuts the text at [Most].
func Safe(text string) (copied string, cut bool) {
	text = escaped(text)
	return text[:min(len(text), Most)], len(text) > Most
}

// escaped escapes the control characters of a text, except ends of lines.
func escaped(text string) string {
	var b []byte
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b = append(b, '\n')
		}
		b = format.AppendEscaped(b, line)
	}
	return string(b)
}

// Clipboard knows how this system copies. The zero value knows no program.
type Clipboard struct {
	tools []tool // the best first
}

// tool is a program that copies its standard input.
type tool struct {
	command []string
	to      string // where the text is afterwards
	utf16   bool   // the program accepts only UTF-16
}

// System returns the programs available in the environment. Inside tmux that is tmux, which
// informs its own terminal. Over ssh there is none: only the terminal is on the user's machine.
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

// Put hands text to the first program that accepts it, and returns where it is then; "" if none did.
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

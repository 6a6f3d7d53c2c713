//go:build unix

package cli

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// escapes are the sequences that style text; they take no room.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestHelpFits draws the help of each command in a terminal of 80 by 24.
func TestHelpFits(t *testing.T) {
	names := []string{"", "bench record"}
	for _, c := range commands(new(app), allCommands) {
		names = append(names, c.Name())
	}
	for _, name := range names {
		t.Run("tracex "+name, func(t *testing.T) {
			cmd, _, _ := command(t, strings.Fields(name+" --help")...)
			cmd.Env = append(cmd.Env, "TERM=xterm-256color")
			cmd.Stderr = nil
			screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
			if err != nil {
				t.Fatal(err)
			}
			defer screen.Close()
			// Linux ends the reading of a terminal whose other end is closed with EIO.
			drawn, err := io.ReadAll(screen)
			if len(drawn) == 0 {
				t.Fatal(err)
			}
			if got := code(t, cmd.Wait()); got != 0 {
				t.Errorf("exit code %d", got)
			}
			if !escapes.Match(drawn) {
				t.Error("no colors")
			}
			if strings.Contains(string(drawn), "\x1b]") {
				t.Error("it asks the terminal something")
			}
			text := strings.TrimSuffix(escapes.ReplaceAllString(string(drawn), ""), "\r\n")
			lines := strings.Split(text, "\n")
			// One line is left for the prompt.
			if len(lines) > 23 {
				t.Errorf("%d lines", len(lines))
			}
			for _, line := range lines {
				if line = strings.TrimRight(line, " \r"); len([]rune(line)) > 80 {
					t.Errorf("wider than 80: %q", line)
				}
			}
			if !strings.Contains(text, "EXAMPLES") {
				t.Error("no examples")
			}
		})
	}
}

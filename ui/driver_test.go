package ui

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/tree"
)

var update = flag.Bool("update", false, "write the expected screens anew")

// driver runs an explorer without a terminal: it sends keys and runs the commands that result
// until there are none.
type driver struct {
	t      testing.TB
	m      *Model
	timers []timer // requested and not fired yet
	sent   []tea.Msg
	quit   bool
}

// timer is a message that the clock would send later.
type timer struct {
	after time.Duration
	msg   tea.Msg
}

func unpackFlat(t testing.TB) string {
	return formattest.Unpack(t, "flat.stream.bin", "flat.stream.bin.idx")
}

// drive starts an explorer in a window of the given size.
func drive(t testing.TB, r *lazy.LazyTraceReader, width, height int, o Options) *driver {
	t.Helper()
	d := &driver{t: t, m: New(r, o)}
	t.Cleanup(d.m.env.Close)
	d.m.env.Trace.Watching = false
	d.m.clip.Copier = env.NewCopier(d.m.env, env.Clipboard{}) // tests must not touch the clipboard of this machine
	d.m.env.Clock = env.Clock{
		Now: func() time.Time { return time.Unix(0, 0) },
		After: func(after time.Duration, msg tea.Msg) tea.Cmd {
			d.timers = append(d.timers, timer{after, msg})
			return nil
		},
	}
	d.m.env.Patience = time.Hour // a screen must not depend on how fast the machine is
	d.run(d.m.Init())
	d.resize(width, height)
	return d
}

func (d *driver) resize(width, height int) { d.send(tea.WindowSizeMsg{Width: width, Height: height}) }

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

// run runs a command and its follow-up commands to the end.
func (d *driver) run(cmd tea.Cmd) {
	todo := []tea.Cmd{cmd}
	for n := 0; len(todo) > 0; n++ {
		if n > 100_000 {
			d.t.Fatal("the commands do not come to an end")
		}
		cmd, todo = todo[0], todo[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			todo = append(todo, msg...)
		case tea.QuitMsg:
			d.quit = true
		case env.Ran, tree.LoadMsg, env.StatusMsg, env.Copied:
			_, next := d.m.Update(msg)
			todo = append(todo, next)
		default:
			d.sent = append(d.sent, msg)
		}
	}
}

// fire sends the messages of all timers of one kind.
func (d *driver) fire(kind tea.Msg) *driver {
	timers := d.timers
	d.timers = nil
	for _, t := range timers {
		if reflect.TypeOf(t.msg) == reflect.TypeOf(kind) {
			d.send(t.msg)
		} else {
			d.timers = append(d.timers, t)
		}
	}
	return d
}

// keys presses keys: names of special ones, or characters, separated by blanks.
func (d *driver) keys(names string) *driver {
	for _, k := range strings.Fields(names) {
		d.send(keys.Press(k))
	}
	return d
}

// typed types a text, character by character.
func (d *driver) typed(text string) *driver {
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return d
}

// screen returns the contents of the terminal, without colors. It checks that each line has the
// width of the window.
func (d *driver) screen() string {
	d.t.Helper()
	lines := strings.Split(d.view(), "\n")
	if len(lines) != d.m.env.Height {
		d.t.Errorf("%d lines in a window of %d", len(lines), d.m.env.Height)
	}
	for i, line := range lines {
		text := ansi.Strip(line)
		for _, w := range []int{ansi.StringWidth(line), ansi.StringWidthWc(line)} {
			if w != d.m.env.Width {
				d.t.Errorf("line %d is %d cells wide, the window %d: %q", i+1, w, d.m.env.Width, text)
			}
		}
		lines[i] = strings.TrimRight(text, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// has checks that the screen contains texts.
func (d *driver) has(texts ...string) *driver {
	d.t.Helper()
	screen := d.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.t.Errorf("the screen has no %q:\n%s", text, screen)
		}
	}
	return d
}

// cursorText returns the text of the cursor's row.
func (d *driver) cursorText() string {
	d.t.Helper()
	if d.m.tree.Out.Cursor.Node == nil {
		return ""
	}
	text, _ := d.m.tree.Out.Text(d.m.tree.Out.Cursor.Node)
	return text
}

// line returns the contents of a node's row.
func (d *driver) line(n *lazy.Node) *lazy.Line {
	return d.m.tree.Rows([]lazy.Row{tree.RowOf(n)}, d.m.search.Highlight, d.m.marks.Sign)[0].Line
}

// named returns the names of a node.
func (d *driver) named(n *lazy.Node) lazy.Named {
	return d.m.tree.Out.Named(n)
}

// golden compares the screen with testdata/NAME.screen.
func (d *driver) golden(name string) {
	d.t.Helper()
	path := filepath.Join("testdata", name+".screen")
	got := d.screen()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if got != string(want) {
		d.t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

// keyWithAlt is a character pressed with Alt.
type keyWithAlt rune

func (k keyWithAlt) press() tea.KeyPressMsg { return tea.KeyPressMsg{Code: rune(k), Mod: tea.ModAlt} }

// message returns the message on the bottom line; alarmed reports whether it is about a failure.
func message(d *driver) string { text, _ := d.m.env.Status.Message(); return text }
func alarmed(d *driver) bool   { _, alarm := d.m.env.Status.Message(); return alarm }

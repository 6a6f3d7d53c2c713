package ui

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// Color tells when to use colors.
type Color string

const (
	ColorAuto   Color = "auto"   // depends on the terminal and NO_COLOR
	ColorAlways Color = "always" // the 16 of every terminal
	ColorNever  Color = "never"  // none, whatever the terminal can do
)

// Options define how the explorer looks and behaves. The zero value is good.
type Options struct {
	Raw      bool         // begin with the trace as it was recorded, not folded
	Source   []string     // directories to look for source files in
	ASCII    bool         // draw with ASCII only
	Unicode  bool         // draw with all characters, whatever the terminal and the locale support
	NoMouse  bool         // leave the mouse to the terminal
	Color    Color        // "" means ColorAuto
	Tour     bool         // begin with a tour of the keys
	Follow   bool         // begin at the newest row of a trace that is being written, and stay there
	Name     string       // shown for the trace; "" for the name of its file
	At       *lazy.Handle // begin there; nil for the first row
	Path     string       // the file to name if the reader has a copy; "" for the reader's
	Details  bool         // begin with the details shown
	NoSticky bool         // the calls around the first row scroll out: they do not stay at the top of the tree
	Remark   string       // a warning to begin with; "" if none
	Fresh    bool         // begin at the first row, not where the last session was
	Program  string       // name and version of this program, for exports: tracex@0.1.0
	Notes    *notes.Book  // marks, notes and the last session; nil keeps them in memory

	// Other returns a trace to compare this one with, from a path as typed; nil if there can be none. The explorer closes it.
	Other func(path string) OtherTrace
	// Diff is what the trace compares, if the explorer made it; nil otherwise.
	Diff *LiveDiff

	// Keys are the user's keys for actions (see [Actions]), named as ParseKey does. They replace the action's own, and
	// are taken from other actions.
	Keys map[string][]string
	// Columns are the names of the columns of numbers from left to right (see [Columns]); nil is the explorer's choice.
	Columns  []string
	RawUnits bool // durations in nanoseconds, and numbers with all digits

	// Theme is the name of the theme; "" for the explorer's own. With fewer than 256 colors it makes no difference.
	Theme  string
	Themes []*Theme // the user's
	Config string   // the file where users set a theme, for advice; "" if there is none
	// Colors are the user's styles for roles, on top of every theme: see [Roles] and [CheckStyle].
	Colors map[string]string
}

// raw reports whether to begin with the raw trace: as asked, or as in the last session.
func (o *Options) raw() bool {
	if o.Raw || o.Notes == nil || o.At != nil || o.Fresh || o.Follow {
		return o.Raw
	}
	s := o.Notes.Session()
	return s.Some() && s.Raw
}

// Run shows the trace until the user quits or ctx ends; then it returns the context's cause. It always restores the
// terminal. It handles no signals: the caller's context should end on them.
func Run(ctx context.Context, r *lazy.LazyTraceReader, o Options) error {
	t := &Tabs{ctx: ctx, diffs: diffs{engine: newEngine}, list: []*tab{{trace: alone{r}, name: filepath.Base(cmp.Or(o.Name, o.Path, r.Path()))}}}
	t.adopt(0, r, o)
	t.asked = t.list[0].model
	return t.run(o.Color)
}

// alone is a trace that is open already.
type alone struct{ r *lazy.LazyTraceReader }

func (a alone) Path() string { return a.r.Path() }

func (a alone) Open(context.Context) (*lazy.LazyTraceReader, Options, error) {
	return a.r, Options{}, nil
}

// run shows a Model on the terminal, or the root that has it.
func run(ctx context.Context, root tea.Model, m *Model, color Color) error {
	profile := profileFor(color)
	term := env.NewTerminal()
	m.env.Paint(m.env.Theme, profile)
	m.env.Terminal, m.env.ShowsProgress = term, env.ShowsProgress(os.Getenv)
	frames := &env.Frames{Model: root}
	p := tea.NewProgram(frames, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(env.FrameRate), tea.WithColorProfile(profile), tea.WithFilter(wanted))
	frames.Program = p
	term.Watch(p.Send)
	defer term.Close()
	defer term.Quiet()
	// Run restores the terminal, also after a panic of Update or View. Others become one of Update: see env.Panic.
	_, err := p.Run()
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		return cause
	}
	return err
}

// wanted drops the messages of the library that change nothing. For each other one the screen is drawn.
func wanted(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case tea.EnvMsg, tea.ColorProfileMsg: // run has looked at the first itself, and chosen the colors
		return nil
	}
	return msg
}

// Prepare makes in the background what drawing needs whatever the trace: the library's table of the widths of all
// characters takes a millisecond. It is called before the trace is opened.
func Prepare() { go ansi.StringWidthWc("…") }

// profileFor returns the colors to use.
func profileFor(color Color) colorprofile.Profile {
	switch {
	case color == ColorNever, screen.DumbTerminal() && color != ColorAlways:
		return colorprofile.ASCII
	case color == ColorAlways:
		return colorprofile.ANSI
	}
	// The environment tells enough. The library would look for more in terminfo, and start tmux to ask it. What it does
	// not know: tmux takes all colors, and shows the nearest ones if its own terminal has fewer.
	p := colorprofile.Env(os.Environ())
	if direct := os.Getenv("COLORTERM"); p == colorprofile.ANSI256 && os.Getenv("TMUX") != "" && (direct == "truecolor" || direct == "24bit") {
		return colorprofile.TrueColor
	}
	return p
}

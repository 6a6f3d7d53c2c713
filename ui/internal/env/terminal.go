package env

import (
	"io"
	"os/exec"
	"reflect"
	"runtime"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// ShowsProgress reports whether the terminal shows progress (OSC 9;4). Others take the sequence for a notification.
func ShowsProgress(getenv func(string) string) bool {
	program := getenv("TERM_PROGRAM")
	return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "WezTerm"
}

// Lend runs a program that needs the terminal for itself.
func (e *Env) Lend(program *exec.Cmd) tea.Cmd {
	return tea.Exec(released{program, func() error {
		if c := e.Terminal; c != nil {
			c.lent.Store(true)
			defer c.lent.Store(false)
			c.Quiet()
		}
		return program.Run()
	}}, returned(e, "the editor failed"))
}

// Returned is the message that the terminal was taken back from a program or a shell.
type Returned struct {
	By   *Env // that gave it away; nil for a signal
	What string
	Err  error
}

// returned returns the function that makes the message.
func returned(by *Env, what string) tea.ExecCallback {
	return func(err error) tea.Msg { return Returned{by, what, err} }
}

// released runs while the terminal is in its original state.
type released struct {
	*exec.Cmd // gets the terminal
	run       func() error
}

func (r released) Run() error {
	runtime.Gosched() // lets the goroutine end that drew: see [Frames]
	return r.run()
}

func (r released) SetStdin(in io.Reader)   { r.Stdin = in }
func (r released) SetStdout(out io.Writer) { r.Stdout = out }
func (r released) SetStderr(out io.Writer) { r.Stderr = out }

// FrameRate is how many frames a second are drawn at most: twice the library's usual rate, so that a key is
// answered in half the time.
const FrameRate = 120

// Frames go on for restAfter after a change; at rest there is one in restEvery, for what could not be drawn in time. The
// first is drawn within firstFrame.
const (
	firstFrame = 100 * time.Microsecond
	restAfter  = 250 * time.Millisecond
	restEvery  = time.Second
)

// Frames lets the clock rest by which Bubble Tea draws, while nothing changes: it would take 1.2 % of a processor. The
// library has no way to do that, so Frames takes the clock from its Program; if there is none where it is looked for,
// Frames does nothing. It is the root of the program, before its Model.
type Frames struct {
	tea.Model
	Program *tea.Program // runs with FrameRate; it is set after it is made, with Frames as its root

	mu      sync.Mutex
	ticker  *time.Ticker // nil until it is needed, or if the program has none
	timer   *time.Timer
	changed time.Time // last
	resting bool
	begun   bool // there was something to draw
}

func (f *Frames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := f.Model.Update(msg)
	f.Changed()
	return f, cmd
}

func (f *Frames) View() tea.View {
	v := f.Model.View()
	f.Changed()
	if v.Content != "" {
		f.begin()
	}
	return v
}

// begin has the first screen drawn as soon as Bubble Tea has it, which is after View has returned. From the time when
// the clock would have shown it, the clock runs as usual.
func (f *Frames) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun || f.ticker == nil {
		return
	}
	f.begun = true
	f.ticker.Reset(firstFrame)
	f.timer.Reset(time.Second / FrameRate)
}

// Changed notes that there may be something to draw. It is called on the goroutine that runs the program.
func (f *Frames) Changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ticker == nil {
		if f.ticker = tickerOf(f.Program); f.ticker == nil {
			return
		}
		f.timer = time.AfterFunc(restAfter, f.rest)
	}
	f.changed = time.Now()
	if f.resting {
		f.resting = false
		f.ticker.Reset(time.Second / FrameRate)
		f.timer.Reset(restAfter)
	}
}

// rest slows the clock down, if nothing has changed for long enough. If not, it makes sure that the clock runs: when Bubble
// Tea takes the terminal back, the goroutine that drew before may stop the clock of its successor.
func (f *Frames) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if left := restAfter - time.Since(f.changed); left > 0 {
		f.ticker.Reset(time.Second / FrameRate)
		f.timer.Reset(left)
		return
	}
	f.resting = true
	f.ticker.Reset(restEvery)
}

// tickerOf returns the clock of a program that runs; nil if it has none where it is looked for.
func tickerOf(p *tea.Program) *time.Ticker {
	v := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !v.IsValid() || v.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(unsafe.Pointer(v.UnsafeAddr()))
}

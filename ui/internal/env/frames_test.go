package env

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// still is a model that changes when it is told to. It has nothing to show before it knows the size of the terminal.
type still struct {
	text string
}

func (s *still) Init() tea.Cmd { return nil }

func (s *still) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case string:
		s.text = msg
	case tea.WindowSizeMsg:
		s.text = "first"
	}
	return s, nil
}

func (s *still) View() tea.View { return tea.NewView(s.text) }

// drawn is where a program draws; it tells of each text that it waits for.
type drawn struct {
	all  bytes.Buffer
	want []string
	seen chan time.Time
}

func (w *drawn) Write(b []byte) (int, error) {
	w.all.Write(b)
	if len(w.want) > 0 && bytes.Contains(w.all.Bytes(), []byte(w.want[0])) {
		w.want = w.want[1:]
		w.seen <- time.Now()
	}
	return len(b), nil
}

// TestFrames: the clock of the library is where it is looked for, the first screen does not wait for it, then it runs as
// usual, it comes to rest, and a change is drawn after that.
func TestFrames(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // starts goroutines that are not the test's
	signal.Stop(signals)
	synctest.Test(t, func(t *testing.T) {
		f := &Frames{Model: new(still)}
		out := &drawn{want: []string{"first", "next", "second"}, seen: make(chan time.Time, 3)}
		in, keys := io.Pipe()
		p := tea.NewProgram(f, tea.WithOutput(out), tea.WithInput(in), tea.WithFPS(FrameRate), tea.WithWindowSize(40, 10), tea.WithoutSignals(), tea.WithColorProfile(colorprofile.ASCII))
		f.Program = p
		ended := make(chan error, 1)
		go func() {
			_, err := p.Run()
			ended <- err
		}()
		start := time.Now()
		if late := (<-out.seen).Sub(start); late > firstFrame {
			t.Errorf("the first screen is drawn after %v", late)
		}
		if f.ticker == nil {
			t.Fatal("the library has no clock where it is looked for")
		}
		time.Sleep(2*time.Second/FrameRate + firstFrame - time.Since(start))
		start = time.Now()
		p.Send("next")
		if late := (<-out.seen).Sub(start); late <= firstFrame || late > time.Second/FrameRate {
			t.Errorf("the next screen is drawn after %v", late)
		}
		time.Sleep(restAfter)
		synctest.Wait()
		if !f.resting {
			t.Error("the clock does not rest")
		}
		start = time.Now()
		p.Send("second")
		if late := (<-out.seen).Sub(start); late > time.Second/FrameRate {
			t.Errorf("a change is drawn after %v", late)
		}
		p.Quit()
		keys.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

package env

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// still is a model that changes when it is told to.
type still struct {
	frames *Frames
	text   string
}

func (s *still) Init() tea.Cmd { return nil }

func (s *still) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if text, ok := msg.(string); ok {
		s.text = text
	}
	s.frames.Changed()
	return s, nil
}

func (s *still) View() tea.View {
	s.frames.Changed()
	return tea.NewView(s.text)
}

// screen is where a program draws; it tells of each text that it waits for.
type drawn struct {
	all  bytes.Buffer
	want chan []byte
	seen chan struct{}
	next []byte
}

func (w *drawn) Write(b []byte) (int, error) {
	w.all.Write(b)
	for {
		if w.next == nil {
			select {
			case w.next = <-w.want:
			default:
				return len(b), nil
			}
		}
		if !bytes.Contains(w.all.Bytes(), w.next) {
			return len(b), nil
		}
		w.next = nil
		w.seen <- struct{}{}
	}
}

// TestFrames: the clock of the library is where it is looked for, it comes to rest, and a change is drawn after
// that.
func TestFrames(t *testing.T) {
	f := new(Frames)
	out := &drawn{want: make(chan []byte, 2), seen: make(chan struct{}, 2)}
	out.want <- []byte("first")
	in, keys := io.Pipe()
	defer keys.Close()
	p := tea.NewProgram(&still{frames: f, text: "first"}, tea.WithOutput(out), tea.WithInput(in), tea.WithFPS(FrameRate), tea.WithWindowSize(40, 10), tea.WithoutSignals())
	f.Program = p
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	<-out.seen
	for resting := false; !resting; { // waits for the clock, which rests at its own time
		f.mu.Lock()
		resting = f.resting
		if f.ticker == nil {
			t.Error("the library has no clock where it is looked for")
			resting = true
		}
		f.mu.Unlock()
		runtime.Gosched()
	}
	out.want <- []byte("second")
	p.Send("second")
	<-out.seen
	p.Quit()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

package ui

import (
	"os"
	"path/filepath"
	"testing"

	"tracex/lazy"
	"tracex/recorder"
	"tracex/ui/internal/env"
)

// left copies the files of the recording as they would be if its program were killed now.
func (l *live) left() string {
	l.t.Helper()
	to := filepath.Join(l.t.TempDir(), "trace.bin")
	for _, suffix := range []string{"", ".idx", recorder.LiveSuffix} {
		b, err := os.ReadFile(l.path + suffix)
		if err == nil {
			err = os.WriteFile(to+suffix, b, 0o600)
		}
		if err != nil {
			l.t.Fatal(err)
		}
	}
	return to
}

// TestFollowLeft: the data left by a killed program is recovered while its trace is followed.
// The cursor goes to the program's last event, and the screen tells.
func TestFollowLeft(t *testing.T) {
	l := goLive(t, Options{})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 2)
	l.calls(th, 3)
	l.seen()
	l.calls(th, 40)
	l.enter(th, 1)
	l.calls(th, 2)
	was := *l
	l.path = l.left()
	r, err := lazy.Open(l.path, lazy.Options{Follow: true, NoWrite: true, Finish: func() (string, error) {
		done, err := recorder.Finish(was.path)
		if done.Done {
			return "its program ended; all recovered", err
		}
		return "", err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	was.path, l.r = l.path, r
	if err := r.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.driver = drive(t, r, 90, 16, Options{Follow: true})
	for r.Status().Growth.On { // one look finds nothing new, one recovers the data, one reads it
		l.look()
	}
	l.look().has("its program ended; all recovered").at(l.n)
	l.send(env.TraceChanged{})
	if l.m.follow.On() {
		t.Error("the cursor stays at what does not grow")
	}
	l.keys("k").at(l.n - 1)
}

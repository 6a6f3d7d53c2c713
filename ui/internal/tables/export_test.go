package tables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// part returns exports without a terminal.
func part(t *testing.T) *Exports {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	return NewExports(e, nil, nil, nil, nil, NewTables(e, nil, nil), "")
}

// settled begins work and returns the command that waits for its end.
func settled(t *testing.T, p *Exports, work ExportWork) tea.Cmd {
	t.Helper()
	if p.Running() {
		t.Fatal("an export is under way")
	}
	return p.Begin("a/b.csv", work)
}

func said(p *Exports) string { text, _ := p.env.Status.Message(); return text }

// untilStopped is work that waits until it is stopped; told is closed once it runs.
func untilStopped(told chan struct{}) ExportWork {
	return func(ctx context.Context, tell lazy.Progress) (ExportDone, error) {
		tell(42, 100)
		close(told)
		<-ctx.Done()
		return ExportDone{}, ctx.Err()
	}
}

// TestPart: an export tells how far it is; only one runs; one that is stopped says that nothing was written.
func TestPart(t *testing.T) {
	p, told := part(t), make(chan struct{})
	if p.Running() || p.Stop() || p.Text() != "" {
		t.Error("it runs before it has begun")
	}
	cmd := settled(t, p, untilStopped(told))
	if <-told; !p.Running() || p.Text() != "exporting b.csv 42 %" {
		t.Errorf("running: %q", p.Text())
	}
	if p.Begin("other", nil); !strings.HasPrefix(said(p), "an export is under way") {
		t.Errorf("two exports at once: %q", said(p))
	}
	if !p.Stop() || p.Running() || p.Text() != "" || p.Stop() {
		t.Errorf("stopped: %q", p.Text())
	}
	cmd().(env.Ran).Then()
	if want := "b.csv: stopped, nothing was written"; said(p) != want || p.Last() != want {
		t.Errorf("%q", said(p))
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestPartEnds: the message tells where the file is, or why there is none and what to do.
func TestPartEnds(t *testing.T) {
	for _, c := range []struct {
		done ExportDone
		err  error
		want string
	}{
		{ExportDone{"a/b.csv", 2048, []string{"left out 1 read"}}, nil, "wrote a/b.csv: 2.0 KiB; left out 1 read"},
		{ExportDone{}, fmt.Errorf("b.csv: %w", fs.ErrExist), "not exported: b.csv: file already exists; :export! replaces it"},
		{ExportDone{}, fmt.Errorf("b.csv: %w", fs.ErrPermission), "not exported: b.csv: permission denied; :export FORMAT FILE names another place"},
		{ExportDone{}, errors.New("no space"), "not exported: no space"},
	} {
		p := part(t)
		if cmd := settled(t, p, func(context.Context, lazy.Progress) (ExportDone, error) { return c.done, c.err }); cmd != nil {
			cmd().(env.Ran).Then() // it took longer than a key waits
		}
		if said(p) != c.want || p.Running() {
			t.Errorf("%q, not %q", said(p), c.want)
		}
		if !strings.HasPrefix(c.want, p.Last()) {
			t.Errorf("afterwards: %q", p.Last())
		}
	}
}

// TestPartClose: Close returns once the work has ended, and tells that it was not complete.
func TestPartClose(t *testing.T) {
	p, told, ended := part(t), make(chan struct{}), false
	settled(t, p, func(ctx context.Context, tell lazy.Progress) (ExportDone, error) {
		_, err := untilStopped(told)(ctx, tell)
		ended = true
		return ExportDone{}, err
	})
	<-told
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), "b.csv was not complete") || !ended {
		t.Error(err, ended)
	}
}

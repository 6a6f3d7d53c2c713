package saving

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// Work writes a file. It runs on another goroutine, and ends soon after ctx does. tell gets its progress.
type Work func(ctx context.Context, tell lazy.Progress) (Done, error)

// Done tells what has been written.
type Done struct {
	Path  string
	Size  int64    // bytes
	Notes []string // what is worth knowing about it
}

// Part runs one export at a time. Its methods run on one goroutine.
type Part struct {
	env  *env.Env
	next *run           // begins at the next Settle
	cur  *run           // nil if none is under way
	all  sync.WaitGroup // of the goroutines
	last string         // how the last one ended; "" before that
}

// run is one export.
type run struct {
	name        string // of the file
	work        Work
	cancel      context.CancelFunc
	stopped     bool         // by the user
	done, total atomic.Int64 // progress; total is 0 until that is known
	err         error        // once it has ended
}

// New returns a Part that writes nothing.
func New(e *env.Env) *Part { return &Part{env: e} }

// Begin begins an export, to a file of about this name, at the next Settle. It returns false if one is under way.
func (p *Part) Begin(name string, work Work) bool {
	if p.Running() {
		return false
	}
	p.next = &run{name: filepath.Base(name), work: work}
	return true
}

// Settle starts what was begun.
func (p *Part) Settle() tea.Cmd {
	r := p.next
	if r == nil {
		return nil
	}
	p.next, p.cur = nil, r
	ctx, cancel := context.WithCancel(p.env.Life)
	r.cancel = cancel
	p.all.Add(1)
	msg, cmd := p.env.Soon(func() tea.Msg {
		defer p.all.Done()
		defer cancel()
		done, err := r.work(ctx, func(done, total int64) {
			r.done.Store(done)
			r.total.Store(total)
		})
		r.err = err
		return Msg{r, done, err}
	})
	if msg != nil {
		p.Update(msg.(Msg))
	}
	return cmd
}

// Msg is the end of an export, for Update.
type Msg struct {
	of   *run
	done Done
	err  error
}

// A message shows at least leastPath cells of a path, and leaves pathRest for the words around it.
const leastPath, pathRest = 24, 20

// Update tells how an export has ended.
func (p *Part) Update(m Msg) {
	if p.cur == m.of {
		p.cur = nil
	}
	switch {
	case m.err == nil:
		size := screen.Size(m.done.Size)
		p.last = "wrote " + m.done.Path + ": " + size
		short := "wrote " + screen.CutMiddle(m.done.Path, max(leastPath, p.env.Width-pathRest), p.env.Glyphs) + ": " + size
		p.env.Say(strings.Join(append([]string{short}, m.done.Notes...), "; "))
	case m.of.stopped || errors.Is(m.err, context.Canceled):
		p.last = m.of.name + ": stopped, nothing was written"
		p.env.Say(p.last)
	default:
		p.last = "not exported: " + explained(m.err)
		p.env.Warn(p.last)
	}
}

// explained returns an error in one line, with what to do where that helps.
func explained(err error) string {
	text := screen.ErrorLine(err)
	switch {
	case errors.Is(err, fs.ErrExist):
		text += "; :export! replaces it"
	case errors.Is(err, fs.ErrPermission):
		text += "; :export FORMAT FILE names another place"
	}
	return text
}

// Running reports whether an export is under way, and not being stopped.
func (p *Part) Running() bool { return p.next != nil || p.cur != nil && !p.cur.stopped }

// Stop stops the export under way, and reports whether there was one.
func (p *Part) Stop() bool {
	if !p.Running() {
		return false
	}
	if p.next = nil; p.cur != nil {
		p.cur.stopped = true
		p.cur.cancel()
	}
	return true
}

// Text tells what is written, and how far it is; "" if nothing is.
func (p *Part) Text() string {
	if !p.Running() || p.cur == nil {
		return ""
	}
	text := "exporting " + p.cur.name
	if total := p.cur.total.Load(); total > 0 {
		text += " " + screen.Percent(p.cur.done.Load(), total)
	}
	return text
}

// Last tells how the last export ended, also after its message has gone; "" if there was none.
func (p *Part) Last() string { return p.last }

// Close stops what is under way, and waits until nothing of it is left. The error tells that it was not
// complete.
func (p *Part) Close() error {
	r := p.cur
	running := p.Running()
	p.Stop()
	p.all.Wait()
	if r != nil && running && r.err != nil {
		return fmt.Errorf("the export of %s was not complete: nothing was written", r.name)
	}
	return nil
}

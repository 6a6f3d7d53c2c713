package lazy

import (
	"context"
	"errors"
	"slices"
	"sync"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/lines"
)

// errIndent: what a goroutine has printed has too much indentation.
var errIndent = errors.New("too much indentation")

// spread prints threads with several goroutines at once.
func (p *printer) spread(ctx context.Context, threads []int32, c cut) error {
	chunks := &sync.Pool{New: func() any { return &textChunk{text: lines.NewBuffer()} }}
	for len(threads) > 0 {
		s := p.spreadWith(chunks, c)
		thread, err := s.run(ctx, threads)
		if errors.Is(err, errIndent) {
			if thread = threads[0]; p.at != nil && slices.Contains(threads, *p.at) {
				thread = *p.at
			}
		} else if again, err := p.remade(ctx, err, s.v, s.epoch); !again {
			return err
		}
		// Walk the thread by itself, skipping what has been printed.
		threads = threads[max(0, slices.Index(threads, thread)):]
		if p.at == nil || *p.at != thread {
			p.enter(thread)
		}
		if err := p.thread(ctx, p.descent(thread), nil); err != nil {
			return err
		}
		threads = threads[1:]
	}
	return nil
}

// spreadWith returns a spread over the current view, whose products are printed.
func (p *printer) spreadWith(chunks *sync.Pool, c cut) *spread[*textChunk] {
	return &spread[*textChunk]{
		r: p.r, v: p.r.known.Load(), epoch: p.r.epoch.Load(), cut: c, o: p.descent(0),
		worker: func(put func(*textChunk) error) shareWorker {
			o := p.lines.Options()
			o.MaxIndent = 0 // see take
			return &textWorker{lines: lines.New(nil, p.r.ctx, p.version, o), from: p.from, put: put, chunks: chunks}
		},
		take: func(c *textChunk) error {
			err := p.take(c)
			chunks.Put(c)
			return err
		},
	}
}

// remade is the function remade; it also handles a view that was replaced before anything
// was found to be wrong with it.
func (p *printer) remade(ctx context.Context, err error, v *index.View, epoch int64) (bool, error) {
	if errors.Is(err, errStale) {
		return p.r.known.Load() != v, err
	}
	return remade(ctx, p.r, err, epoch)
}

// textWorker is the shareWorker of a printer.
type textWorker struct {
	lines  *lines.Writer
	from   int32 // the first event
	runs   []textRun
	put    func(*textChunk) error
	chunks *sync.Pool
}

func (t *textWorker) enter(g *segment) {
	t.ends()
	t.lines.SetThread(g.thread)
	t.runs = append(t.runs, textRun{thread: g.thread, begins: g.from == 0})
}

func (t *textWorker) visit(v *visit) (full bool) {
	t.runs[len(t.runs)-1].points++
	if v.point.Event >= t.from {
		t.lines.Point(&v.point, v.shownFooter(), v.parent, v.inside, v.depth, v.time)
	}
	return t.lines.Full()
}

// ends ends the run, if any.
func (t *textWorker) ends() {
	if n := len(t.runs); n > 0 {
		t.runs[n-1].end = t.lines.Gathered()
	}
}

func (t *textWorker) flush() error {
	n := len(t.runs)
	if n == 0 {
		return nil
	}
	t.ends()
	thread := t.runs[n-1].thread
	c := t.chunks.Get().(*textChunk)
	c.text, c.indented = t.lines.Swap(c.text[:0]), t.lines.Indented()
	c.runs, t.runs = t.runs, append(c.runs[:0], textRun{thread: thread}) // the run may continue
	return t.put(c)
}

func (t *textWorker) reset() {
	t.runs = t.runs[:0]
	t.lines.Drop()
	t.lines.Indented()
}

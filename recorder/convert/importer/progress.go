package importer

import (
	"io"
	"sync"
)

// Progress shows how far some work is.
type Progress interface {
	// Stage says what the work is from now on, such as "writing".
	Stage(what string)
	// Update sets how many bytes are done, of a total; -1 if that is unknown. It is cheap.
	Update(done, total int64)
	End()
}

// importProgress is the bar of a conversion of several inputs: first it shows how much of them has been
// read, then how much data has been written. Any goroutine may use it.
type importProgress struct {
	mu      sync.Mutex // guards the fields below
	bar     Progress
	inputs  int   // that are not at their end
	total   int64 // bytes of all inputs; -1 if unknown
	before  int64 // bytes of the inputs that have been read
	written int64
}

func newImportProgress(bar Progress, ins []*Input) *importProgress {
	p := &importProgress{bar: bar, inputs: len(ins)}
	for _, s := range ins {
		if s.Size < 0 {
			p.total = -1
			break
		}
		p.total += s.Size
	}
	return p
}

// read shows how many bytes of the current input have been read.
func (p *importProgress) read(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inputs > 0 {
		p.bar.Update(p.before+n, p.total)
	}
}

// next goes on to the next input, after one of a size.
func (p *importProgress) next(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before += max(size, 0)
	p.inputs--
}

// wrote shows how much data has been written, if there is nothing more to read.
func (p *importProgress) wrote(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written += int64(n); p.inputs > 0 {
		return
	}
	p.bar.Stage("writing")
	p.bar.Update(p.written, -1)
}

// ended says that the last input is at its end, though its conversion goes on.
func (p *importProgress) ended() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inputs == 1 {
		p.inputs = 0
	}
}

func (p *importProgress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar.End()
}

// progressReader is a reader of an input that shows the progress.
type progressReader struct {
	in       *Input
	progress *importProgress
}

func (r *progressReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	if r.progress.read(r.in.Taken()); err == io.EOF {
		r.progress.ended()
	}
	return n, err
}

// progressWriter is a writer of data that shows the progress.
type progressWriter struct {
	io.Writer
	progress *importProgress
}

func (w *progressWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.progress.wrote(n)
	return n, err
}

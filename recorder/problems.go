package recorder

import (
	"sync"
	"sync/atomic"
)

// problems are what a recording reports to its program: the first error that limits it, and the
// first that does not.
type problems struct {
	to func(error) // Config.OnError; nil to tell nothing

	mu       sync.Mutex
	err      error
	warning  error
	untold   atomic.Bool // the program was not told err yet
	unwarned atomic.Bool // nor the warning
}

// fail keeps the first error that ends or limits the recording; the next tell reports it.
func (p *problems) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.untold.Store(true)
	}
}

// warn keeps the first error that does not limit the recording.
func (p *problems) warn(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warning == nil {
		p.warning = err
		p.unwarned.Store(true)
	}
}

// tell calls OnError if there is news. No lock may be held: it is the program's code, and may
// call the recorder.
func (p *problems) tell() {
	if p.untold.Load() && p.untold.Swap(false) && p.to != nil {
		p.to(p.first())
	}
	if p.unwarned.Load() && p.unwarned.Swap(false) && p.to != nil {
		p.mu.Lock()
		warning := p.warning
		p.mu.Unlock()
		p.to(warning)
	}
}

// first returns the first error of the recording; nil if there was none.
func (p *problems) first() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

package sources

import (
	"io"
	"sync"
)

// ahead reads from another reader in a goroutine of its own, so that unpacking and converting are
// done at once. It holds aheadBlocks blocks of aheadSize bytes.
type ahead struct {
	full chan block // to be read
	free chan []byte
	stop chan struct{}
	once sync.Once
	now  block
	at   int
}

const (
	aheadBlocks = 4
	aheadSize   = 256 << 10
)

// block is what was read at once. err is what follows it.
type block struct {
	b   []byte
	err error
}

func newAhead(r io.Reader) *ahead {
	a := &ahead{full: make(chan block, aheadBlocks), free: make(chan []byte, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks {
		a.free <- nil // made when needed
	}
	go a.run(r)
	return a
}

// run reads until the end or the first error. A read that waits for a pipe outlives close.
func (a *ahead) run(r io.Reader) {
	for {
		var b []byte
		select {
		case b = <-a.free:
		case <-a.stop:
			return
		}
		if b == nil {
			b = make([]byte, aheadSize)
		}
		n, err := r.Read(b[:cap(b)])
		for tries := 0; n == 0 && err == nil; tries++ {
			if tries == 100 {
				err = io.ErrNoProgress
				break
			}
			n, err = r.Read(b[:cap(b)])
		}
		a.full <- block{b[:n], err} // there is room for each block
		if err != nil {
			return
		}
	}
}

// Read returns what was read ahead.
func (a *ahead) Read(b []byte) (int, error) {
	for a.at == len(a.now.b) {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.b != nil {
			a.free <- a.now.b
		}
		a.now, a.at = <-a.full, 0
	}
	n := copy(b, a.now.b[a.at:])
	a.at += n
	return n, nil
}

// close ends the goroutine.
func (a *ahead) close() { a.once.Do(func() { close(a.stop) }) }

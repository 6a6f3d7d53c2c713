package bench

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"tracex/format"
	"tracex/recorder"
)

// Size is the bytes that a call takes on disk, averaged over a trace recorded by one
// goroutine.
type Size struct {
	Call   string  `json:"call"`
	Calls  int     `json:"calls"`
	Data   float64 `json:"data"`
	Index  float64 `json:"index"`
	Times  float64 `json:"times"`
	Packed float64 `json:"packed"` // all three files, after pack --level 6
}

// packLevel is the compression level at which packed traces are measured.
const packLevel = 6

// size measures the size of a call. The longer the budget, the more calls, up to a
// million: names and headers count less among more calls.
func (b *bench) size(ctx context.Context, call *call) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s := Size{Call: call.name, Calls: max(firstCalls, min(int(b.Budget.Seconds()*50_000), 1_000_000))}
	path := filepath.Join(b.Dir, "size.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, Overwrite: true})
	if err != nil {
		return err
	}
	call.record(rec.Thread("main"), rec.Method(rec.Class("bench.Subject"), "call", recorder.Type{}), rec.Caller(0), s.Calls)
	if err := rec.Stop(); err != nil {
		return err
	}
	var in format.PackInput
	for suffix, to := range map[string]struct {
		r    *io.Reader
		size *float64
	}{"": {&in.Data, &s.Data}, format.IndexSuffix: {&in.Index, &s.Index}, format.TimesSuffix: {&in.Times, &s.Times}} {
		f, err := os.Open(path + suffix)
		if err != nil {
			return err
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			return err
		}
		*to.r, *to.size = f, float64(st.Size())/float64(s.Calls)
	}
	packed := byteCount{ctx: ctx}
	if err := format.Pack(&packed, in, packLevel, nil); err != nil {
		return err
	}
	s.Packed = float64(packed.n) / float64(s.Calls)
	b.sizes = append(b.sizes, s)
	return nil
}

// byteCount is a writer that counts bytes until its context is done.
type byteCount struct {
	ctx context.Context
	n   int64
}

func (c *byteCount) Write(b []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	c.n += int64(len(b))
	return len(b), nil
}

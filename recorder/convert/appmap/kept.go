package appmap

import (
	"cmp"
	"context"
	"io"
	"os"

	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/spool"
)

// kept is an input that can be read several times: what updates events, and which calls have returns, shows only
// further on. A file is opened anew; what comes through a pipe is kept, beyond some memory in a temporary file.
type kept struct {
	path   string
	spool  *spool.Spool // nil for a file
	stream *spool.Stream
	failed error // of reading the pipe, after what is kept
}

const (
	keptMemory = 32 << 20 // bytes of a pipe in memory
	keptBlock  = 60 << 10 // fits into the largest batch of a spool
)

// keep returns the input, and what reads it from now on. It fails if the temporary file cannot be written. It must be closed.
func keep(ctx context.Context, in sources.Input, dir string) (*kept, sources.Input, error) {
	k := &kept{path: in.Path}
	if info, err := os.Stat(in.Path); err == nil && info.Mode().IsRegular() && !in.Stdin {
		return k, in, nil
	}
	k.spool = spool.New(dir, keptMemory)
	k.stream = k.spool.Stream()
	from := jsonstream.Watch(ctx, in.Reader, in.Progress)
	block := make([]byte, keptBlock)
	for k.failed == nil {
		var n int
		n, k.failed = io.ReadFull(from, block)
		if err := k.spool.Add(k.stream, 0, block[:n]); err != nil {
			return k, in, err
		}
	}
	if k.failed == io.ErrUnexpectedEOF {
		k.failed = io.EOF
	}
	in.Reader, in.Progress = k.blocks(), nil
	return k, in, nil
}

// again returns what reads the input from its beginning.
func (k *kept) again() (io.ReadCloser, error) {
	if k.spool != nil {
		return io.NopCloser(k.blocks()), nil
	}
	f, err := os.Open(k.path)
	if err != nil {
		return nil, err
	}
	content, err := sources.NewContent(f)
	if err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return &reread{content, f}, nil
}

func (k *kept) close() {
	if k.spool != nil {
		k.spool.Close()
	}
}

// reread is a file that is read again.
type reread struct {
	*sources.Content
	file *os.File
}

func (r *reread) Close() error {
	r.Content.Close()
	return r.file.Close()
}

// blocks reads what came through a pipe.
type blocks struct {
	records *spool.Records
	failed  error // what ended the pipe
	rest    []byte
}

func (k *kept) blocks() *blocks {
	return &blocks{records: k.spool.OpenBeside(k.stream), failed: k.failed}
}

func (b *blocks) Read(to []byte) (int, error) {
	for len(b.rest) == 0 {
		if !b.records.Next() {
			return 0, cmp.Or(b.records.Err(), b.failed)
		}
		b.rest = b.records.Body
	}
	n := copy(to, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

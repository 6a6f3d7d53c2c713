package format

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
	"time"
)

// The entries of a packed trace. On disk, do not change. The reference refuses a file with any other.
const (
	EntryInfo      = "info.txt"
	EntryData      = "trace.trace"
	EntryIndex     = "trace.idx"
	EntryDiff      = ".diff" // empty: marks a diff
	EntryLeftInfo  = "info.left.txt"
	EntryRightInfo = "info.right.txt"
	EntryThreadMap = "diff.threadmap"
	EntryEventMap  = "diff.idmap"
)

// IsPackEntry reports whether a packed trace may have an entry with a name, one that its directory does not
// list included.
func IsPackEntry(name string) bool { return name == timesName || isListed(name) }

// isListed reports whether the directory of a packed trace may list an entry.
func isListed(name string) bool {
	return name == EntryInfo || name == EntryData || name == EntryIndex || slices.Contains(diffEntries, name)
}

// diffEntries are the entries that only a diff has.
var diffEntries = []string{EntryDiff, EntryLeftInfo, EntryRightInfo, EntryThreadMap, EntryEventMap}

// PackInput is the content of a packed trace.
type PackInput struct {
	Info     []byte    // info.txt; see [Info]. The reference does not open a file without it.
	Data     io.Reader // of any length
	Index    io.Reader
	Times    io.Reader // nil if none; see CheckTimes
	Diff     *PackDiff // nil if not a diff
	Modified time.Time // of all entries; zero if none
}

// PackDiff is the additional content of a packed diff. nil omits an entry.
type PackDiff struct {
	LeftInfo, RightInfo []byte
	EventMap, ThreadMap io.Reader
}

// Pack writes a packed trace: a ZIP with the entries in the order of the reference, preceded by
// the times in an entry that only this package looks for. level is that of deflate, 0 (none, like
// the reference) to 9. Pack calls progress, which may be nil, now and then with the total number
// of bytes read from all inputs so far.
func Pack(w io.Writer, in PackInput, level int, progress func(done int64)) error {
	if level < 0 || level > 9 {
		return fmt.Errorf("no compression level %d: 0 to 9", level)
	}
	p := packer{zip: zip.NewWriter(w), modified: in.Modified, progress: progress, buf: make([]byte, 256<<10)}
	if in.Times != nil {
		size, err := writeTimes(w, &counted{r: in.Times, p: &p}, level)
		if err != nil {
			return fmt.Errorf("packing %s: %w", timesName, err)
		}
		p.zip.SetOffset(size)
	}
	p.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
	d := in.Diff
	if d != nil {
		p.bytes(EntryDiff, []byte{})
		p.bytes(EntryLeftInfo, d.LeftInfo)
		p.bytes(EntryRightInfo, d.RightInfo)
	}
	p.bytes(EntryInfo, in.Info)
	p.add(EntryData, in.Data)
	p.add(EntryIndex, in.Index)
	if d != nil {
		p.add(EntryEventMap, d.EventMap)
		p.add(EntryThreadMap, d.ThreadMap)
	}
	if p.err != nil {
		return p.err
	}
	return p.zip.Close()
}

// packer writes entries; its first failure sticks.
type packer struct {
	zip      *zip.Writer
	modified time.Time
	progress func(int64)
	done     int64
	buf      []byte
	err      error
}

func (p *packer) bytes(name string, b []byte) {
	if b != nil {
		p.add(name, bytes.NewReader(b))
	}
}

func (p *packer) add(name string, r io.Reader) {
	if p.err != nil || r == nil {
		return
	}
	entry, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.modified})
	if err == nil {
		// The struct hides WriterTo, which would pass everything at once.
		_, err = io.CopyBuffer(entry, struct{ io.Reader }{&counted{r: r, p: p}}, p.buf)
	}
	if err != nil {
		p.err = fmt.Errorf("packing %s: %w", name, err)
	}
}

// counted reports the bytes read to a packer's progress.
type counted struct {
	r io.Reader
	p *packer
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.p.done += int64(n)
	if c.p.progress != nil && n > 0 {
		c.p.progress(c.p.done)
	}
	return n, err
}

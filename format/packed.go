package format

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// maxInfo bounds an info.txt and a thread map, in bytes: neither the sizes that a ZIP claims
// nor its uncompressed size can be trusted.
const maxInfo = 16 << 20

// Packed is an open packed trace. Its methods may be called concurrently if its reader allows that.
type Packed struct {
	files map[string]*zip.File
	times *io.SectionReader // the entry of times, from its deltas on; nil if none
	// Unknown holds the names of entries that no packed trace has; they are ignored. The
	// reference refuses such a file.
	Unknown []string
}

// OpenPacked reads the directory of a packed trace of size bytes and checks that it holds a
// trace. r must stay usable as long as the Packed is in use.
func OpenPacked(r io.ReaderAt, size int64) (*Packed, error) {
	z, err := zip.NewReader(r, size)
	if errors.Is(err, zip.ErrFormat) {
		return nil, &Error{Offset: -1, Err: ErrNotTrace, Expected: "a ZIP file with its directory at the end", Found: "none that can be read",
			Hint: "if this is a packed trace, it was cut short: copy or pack it again"}
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	p := &Packed{files: make(map[string]*zip.File)}
	for _, f := range z.File {
		switch {
		case !isListed(f.Name):
			p.Unknown = append(p.Unknown, f.Name)
			continue
		case p.files[f.Name] != nil:
			return nil, &Error{Offset: -1, Err: ErrCorrupt, Expected: "each entry once", Found: f.Name + " twice"}
		}
		p.files[f.Name] = f
	}
	p.findTimes(r, size)
	if !p.Has(EntryData) {
		return nil, &Error{Offset: -1, Err: ErrNotPacked, Expected: "a ZIP file with the entry " + EntryData, Found: p.contents()}
	}
	return p, nil
}

// contents describes what a ZIP holds, for an error.
func (p *Packed) contents() string {
	names := slices.Clone(p.Unknown)
	for name := range p.files {
		names = append(names, name)
	}
	slices.Sort(names)
	switch n := len(names); {
	case n == 0:
		return "no entries"
	case n > 3:
		return fmt.Sprintf("%q and %d more", names[:3], n-3)
	}
	return fmt.Sprintf("%q", names)
}

// Has reports whether there is an entry of this name.
func (p *Packed) Has(name string) bool { return p.files[name] != nil }

// IsDiff reports whether the trace is a diff of two: it has the mark, or entries that
// only a diff has.
func (p *Packed) IsDiff() bool {
	return slices.ContainsFunc(diffEntries, p.Has)
}

// Size returns the size in bytes that the ZIP claims for an entry, uncompressed, or 0 if there
// is no such entry. Callers must not allocate memory by it: it is only a claim.
func (p *Packed) Size(name string) int64 {
	if f := p.files[name]; f != nil {
		return int64(min(f.UncompressedSize64, 1<<63-1))
	}
	return 0
}

// Open returns a reader of an entry, which yields at most Size bytes. Its errors name the
// entry. It checks the checksum at the end.
func (p *Packed) Open(name string) (io.ReadCloser, error) {
	f := p.files[name]
	switch {
	case f == nil:
		return nil, &Error{Offset: -1, Err: ErrTruncated, Expected: "the entry " + name, Found: p.contents()}
	case f.Flags&1 != 0:
		return nil, &Error{Offset: -1, Err: ErrCorrupt, Expected: "a plain entry " + name, Found: "an encrypted one",
			Hint: "unpack it with its password first, then open " + EntryData}
	}
	rc, err := f.Open()
	if err != nil {
		return nil, entryError(name, err)
	}
	return &entryReader{name: name, ReadCloser: rc}, nil
}

// entryReader turns the errors of archive/zip into those of this package.
type entryReader struct {
	name string
	io.ReadCloser
}

func (e *entryReader) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		err = entryError(e.name, err)
	}
	return n, err
}

// entryError describes what is wrong with an entry. It passes on errors of the underlying file.
func entryError(name string, err error) error {
	e := &Error{Offset: -1, Err: ErrCorrupt}
	var bad flate.CorruptInputError
	switch {
	case errors.Is(err, zip.ErrChecksum):
		e.Expected, e.Found = "entry "+name+" with its checksum", "another checksum"
	case errors.Is(err, zip.ErrAlgorithm):
		e.Expected, e.Found = "entry "+name+" stored or deflated", "another compression"
		e.Hint = "unpack it first, then open " + EntryData
	case errors.Is(err, zip.ErrFormat), errors.As(err, &bad):
		e.Expected, e.Found = "entry "+name+" as its ZIP file says", err.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Err, e.Found = ErrTruncated, "entry "+name+" ends early"
	default:
		return fmt.Errorf("entry %s: %w", name, err)
	}
	return e
}

// Data returns a reader of the data file.
func (p *Packed) Data() (io.ReadCloser, error) { return p.Open(EntryData) }

// Index returns a reader of the index file.
func (p *Packed) Index() (io.ReadCloser, error) { return p.Open(EntryIndex) }

// Info returns the parsed info.txt, or nil, without error, if there is none.
func (p *Packed) Info() (*Info, error) { return p.info(EntryInfo) }

// DiffInfo returns the Infos of the two traces that a diff compares; either may be nil.
func (p *Packed) DiffInfo() (left, right *Info, err error) {
	if left, err = p.info(EntryLeftInfo); err != nil {
		return nil, nil, err
	}
	right, err = p.info(EntryRightInfo)
	return left, right, err
}

func (p *Packed) info(name string) (*Info, error) {
	b, err := p.small(name)
	if b == nil || err != nil {
		return nil, err
	}
	n, err := ParseInfo(b)
	return n, At(err, name, 0)
}

// ThreadMap returns where the threads of a diff come from, or nil, without error, if there
// is no such entry.
func (p *Packed) ThreadMap() ([]ThreadMatch, error) {
	b, err := p.small(EntryThreadMap)
	if b == nil || err != nil {
		return nil, err
	}
	list, err := DecodeThreadMap(b)
	return list, At(err, EntryThreadMap, 0)
}

// small returns the whole content of an entry that should be small; nil if there is none.
func (p *Packed) small(name string) ([]byte, error) {
	if !p.Has(name) {
		return nil, nil
	}
	r, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxInfo+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxInfo {
		return nil, &Error{File: name, Offset: -1, Err: ErrCorrupt,
			Expected: fmt.Sprintf("at most %d bytes", maxInfo), Found: "more"}
	}
	return b, nil
}

// Times returns a reader of the file of times that was packed with the trace, or nil if there
// is none. It yields no more cells than data and index can have of the sizes that the ZIP claims,
// and checks the checksum at its end. It does not check whether the times fit the trace.
func (p *Packed) Times() io.Reader {
	if p.times == nil {
		return nil
	}
	// flate takes no more than it needs from a reader of single bytes: the descriptor follows.
	t := &timesReader{packed: bufio.NewReader(io.NewSectionReader(p.times, 0, p.times.Size())), sum: crc32.NewIEEE()}
	t.deltas = newTimeDeltas(io.TeeReader(flate.NewReader(t.packed), t.sum), maxTimeCells(p.Size(EntryData), p.Size(EntryIndex)))
	return t
}

package importer

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// perfettoSuffixes are the suffixes of Perfetto trace files.
var perfettoSuffixes = []string{".pftrace", ".perfetto-trace", ".perfetto", ".proto", ".pb"}

// sourceSuffixes are those of other files and folders that are converted. Of two, the longer is first.
var sourceSuffixes = []string{".pt.trace.json", ".appmap.json", ".trace.json", ".json", ".jsonl", ".ndjson", ".xt", ".trace", ".out", ".data"}

// allSuffixes are those of all that is converted.
var allSuffixes = slices.Concat(sourceSuffixes, perfettoSuffixes)

// packedSuffixes are those of compressed files.
var packedSuffixes = []string{".gz", ".zst", ".zip"}

// sourceStem returns the name of a file or folder without the suffixes that tell what it is.
func sourceStem(path string, suffixes []string) string {
	path = filepath.Clean(path)
	if base := filepath.Base(path); base == "." || base == ".." || base == string(filepath.Separator) {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
	}
	return withoutSuffix(Unpacked(path), suffixes)
}

// withoutSuffix removes the first of suffixes that a name has, unless nothing would be left.
func withoutSuffix(path string, suffixes []string) string {
	for _, suffix := range suffixes {
		if cut, ok := strings.CutSuffix(path, suffix); ok && cut != "" && !os.IsPathSeparator(cut[len(cut)-1]) {
			return cut
		}
	}
	return path
}

// Unpacked returns a path without the suffix of a compression.
func Unpacked(path string) string { return withoutSuffix(path, packedSuffixes) }

// threadPrefixes returns what precedes the names of the threads of each input: its name, with as many
// of the folders around it as tell the inputs apart.
func threadPrefixes(ins []*Input) (prefixes []string) {
	times := make(map[string]int) // how many inputs have a name
	for _, s := range ins {
		times[s.wholeStem()]++
	}
	var all [][]string
	for _, s := range ins {
		name := s.wholeStem()
		if times[name] > 1 { // only their suffixes differ
			name += strings.TrimPrefix(filepath.Base(s.Path), filepath.Base(name))
		}
		all = append(all, pathParts(name))
	}
	for i, parts := range all {
		n := 1
		for j, other := range all {
			for i != j && n < len(parts) && tail(parts, n) == tail(other, n) {
				n++
			}
		}
		prefixes = append(prefixes, tail(parts, n)+" › ")
	}
	return prefixes
}

// wholeStem returns the absolute path of an input without its suffixes.
func (s *Input) wholeStem() string {
	if s.Path == "-" {
		return StdinName
	}
	stem := sourceStem(s.Path, allSuffixes)
	if whole, err := filepath.Abs(stem); err == nil {
		return whole
	}
	return stem
}

// pathParts returns the last names of a path, the last one first.
func pathParts(path string) (parts []string) {
	const most = 64
	for len(parts) < most {
		parts = append(parts, filepath.Base(path))
		dir := filepath.Dir(path)
		if dir == path {
			break
		}
		path = dir
	}
	return parts
}

// tail joins the first n parts, which are in the order of a path from its end.
func tail(parts []string, n int) (name string) {
	for _, p := range parts[:min(n, len(parts))] {
		name = filepath.Join(p, name)
	}
	return name
}

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

package formattest

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
)

// cacheFrom is the N from which on File caches files for benchmarks.
const cacheFrom = 200_000

// File writes the trace that s describes and returns the path of the data file. The index is
// beside it, with the suffix .idx, and for a Timed trace the file of times, with .tim. They are
// in a temporary directory of the test. Large ones for benchmarks are cached in a directory of
// the user's cache: callers must not change their files.
func File(tb testing.TB, s Spec) string {
	tb.Helper()
	if _, benchmark := tb.(*testing.B); !benchmark || s.N < cacheFrom {
		path := filepath.Join(tb.TempDir(), "trace.bin")
		if _, err := writeFiles(path, s); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	path, err := cached(s)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// cached returns the path of a cached trace, which it makes if necessary. Its name has a hash
// of a smaller trace of the same kind, so that the output of an earlier generator is not used.
func cached(s Spec) (string, error) {
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	small := s
	small.N = 5000
	h := fnv.New64a()
	var index bytes.Buffer
	if _, err := Generate(h, &index, small); err != nil {
		return "", err
	}
	h.Write(index.Bytes())
	path := filepath.Join(dir, fmt.Sprintf("%s-%016x.bin", s.Name(), h.Sum64()))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	// Remove what an earlier generator cached for the same trace.
	stale, err := filepath.Glob(filepath.Join(dir, s.Name()+"-"+strings.Repeat("?", 16)+".bin*"))
	if err != nil {
		return "", err
	}
	for _, old := range stale {
		os.Remove(old)
	}
	// The data file gets its name last: if it exists, the index does too.
	tmp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	defer os.Remove(tmp)
	defer os.Remove(tmp + format.IndexSuffix)
	defer os.Remove(tmp + format.TimesSuffix)
	if _, err := writeFiles(tmp, s); err != nil {
		return "", err
	}
	if err := os.Rename(tmp+format.IndexSuffix, path+format.IndexSuffix); err != nil {
		return "", err
	}
	if s.Timed {
		if err := os.Rename(tmp+format.TimesSuffix, path+format.TimesSuffix); err != nil {
			return "", err
		}
	}
	return path, os.Rename(tmp, path)
}

// cacheDir creates the directory of cached traces: in the user's cache or, if that cannot be
// written, in the directory of temporary files.
func cacheDir() (string, error) {
	if dir, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(dir, "tracex-formattest")
		if os.MkdirAll(dir, 0o755) == nil {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("tracex-formattest-%d", os.Getuid()))
	return dir, os.MkdirAll(dir, 0o700)
}

func writeFiles(path string, s Spec) (stats Stats, err error) {
	var buffers [3]*bufio.Writer
	names := []string{path, path + format.IndexSuffix}
	if s.Timed {
		names = append(names, path+format.TimesSuffix)
	}
	for i, name := range names {
		f, err := os.Create(name)
		if err != nil {
			return stats, err
		}
		defer f.Close()
		buffers[i] = bufio.NewWriterSize(f, 1<<18)
	}
	if s.Timed {
		s.Times = buffers[2]
	}
	if stats, err = Generate(buffers[0], buffers[1], s); err != nil {
		return stats, err
	}
	for _, b := range buffers[:len(names)] {
		if err := b.Flush(); err != nil {
			return stats, err
		}
	}
	return stats, nil
}

// Bytes returns the data and the index of the trace that s describes.
func Bytes(tb testing.TB, s Spec) (data, index []byte) {
	tb.Helper()
	var d, x bytes.Buffer
	if _, err := Generate(&d, &x, s); err != nil {
		tb.Fatal(err)
	}
	return d.Bytes(), x.Bytes()
}

// Discard generates a trace without keeping it, and returns its statistics.
func Discard(tb testing.TB, s Spec) Stats {
	tb.Helper()
	stats, err := Generate(io.Discard, io.Discard, s)
	if err != nil {
		tb.Fatal(err)
	}
	return stats
}

// Stdout returns what f writes to standard output. Other tests must not use it meanwhile.
func Stdout(tb testing.TB, f func()) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "stdout")
	out, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer out.Close()
	was := os.Stdout
	os.Stdout = out
	defer func() { os.Stdout = was }()
	f()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Key names an entry: a file, or a folder, as it was at a time.
type Key struct{ sum [sha256.Size]byte }

// mostFiles bounds the files of a folder that are in its key.
const mostFiles = 10_000

// KeyOf returns the key of the file or folder at path: its place, its size and the time when it was
// changed; of a folder also those of the files in it, at any depth. version is that of the
// converter: what another one has made is not used.
func KeyOf(path, version string) (Key, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return Key{}, err
	}
	if at, err = filepath.EvalSymlinks(at); err != nil {
		return Key{}, err
	}
	st, err := os.Stat(at)
	if err != nil {
		return Key{}, err
	}
	sum := sha256.New()
	add := func(name string, st fs.FileInfo) {
		fmt.Fprintf(sum, "%d:%s %d %d\n", len(name), name, st.Size(), st.ModTime().UnixNano())
	}
	fmt.Fprintf(sum, "%d:%s\n", len(version), version)
	if !st.IsDir() {
		add(at, st)
		return Key{[sha256.Size]byte(sum.Sum(nil))}, nil
	}
	n := 0
	err = filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n++; n > mostFiles {
			return fs.SkipAll
		}
		st, err := d.Info()
		if err == nil {
			add(name, st)
		}
		return err
	})
	return Key{[sha256.Size]byte(sum.Sum(nil))}, err
}

// nameSize is how many bytes of the sum name an entry's directory.
const nameSize = 16

// name returns the name of the entry's directory.
func (k Key) name() string { return hex.EncodeToString(k.sum[:nameSize]) }

// isName reports whether a directory may be that of an entry.
func isName(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == nameSize
}

//go:build go1.27

package main

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"
	"sync"
)

// imports finds packages through the file of the compiler's flag -importcfg, which it reads at the
// first use.
type imports struct {
	read  func() error
	files map[string]string // by import path
	names map[string]string // import paths, by the paths in sources that differ from them
	gc    types.Importer
}

// importsOf finds the packages that a package imports, through the file of its compiler's flag -importcfg.
// Names of literals depend on them since Go 1.27.
func importsOf(config string) types.Importer {
	i := &imports{files: map[string]string{}, names: map[string]string{}}
	i.gc = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file, ok := i.files[path]
		if !ok {
			return nil, fmt.Errorf("package %s is missing", path)
		}
		return os.Open(file)
	})
	i.read = sync.OnceValue(func() error {
		text, err := os.ReadFile(config)
		for line := range bytes.Lines(text) {
			verb, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			path, value, _ := strings.Cut(rest, "=")
			switch verb {
			case "packagefile":
				i.files[path] = value
			case "importmap":
				i.names[path] = value
			}
		}
		return err
	})
	return i
}

// Import returns the package with an import path as a source has it.
func (i *imports) Import(path string) (*types.Package, error) {
	if err := i.read(); err != nil {
		return nil, err
	}
	if other := i.names[path]; other != "" {
		path = other
	}
	return i.gc.Import(path)
}

// argumentsIn reads files of the go command that runs this program, which is of the same release.
var argumentsIn = words

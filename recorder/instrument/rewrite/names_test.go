package rewrite

import (
	"debug/elf"
	"debug/gosym"
	"go/build"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestNamesOfLiterals compares the names of the function literals in packages of Go's library
// with those in the table of functions of this very program.
func TestNamesOfLiterals(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Skip("the program's table of functions is not found here: ", err)
	}
	defer file.Close()
	section := file.Section(".gopclntab")
	if section == nil {
		section = file.Section(".data.rel.ro.gopclntab")
	}
	if section == nil {
		t.Skip("the program has no table of functions")
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, file.Section(".text").Addr))
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, path := range []string{"go/types", "go/parser", "go/internal/gcimporter", "go/build", "encoding/json", "fmt", "os", "testing", "time", "reflect", "flag", "sync"} {
		p := New(path, Options{Trivial: true, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH})
		dir, err := build.ImportDir(filepath.Join(build.Default.GOROOT, "src", path), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range dir.GoFiles {
			text, err := os.ReadFile(filepath.Join(dir.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Add(filepath.Join(dir.Dir, name), text); err != nil {
				t.Fatal(err)
			}
		}
		for i := range p.Len() {
			file, err := p.Edit(i)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range file.Functions {
				known := table.LookupFunc(path + "." + f.Name)
				if known == nil || !strings.Contains(f.Name, ".func") {
					continue // not linked in, or inlined
				}
				// The first instruction of a function that has none of its own is that of its first statement.
				const most = 10
				name, line, _ := table.PCToLine(known.Entry)
				if filepath.Base(name) != filepath.Base(f.File) || line < f.Line || line > f.Line+most {
					t.Errorf("%s.%s in %s:%d is in %s:%d", path, f.Name, f.File, f.Line, name, line)
				}
				same++
			}
		}
	}
	if same < 100 {
		t.Errorf("only %d function literals are in the table", same)
	}
}

package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// brokenIndexes are ways to break an index, and the real reader's message for each.
// Without this proof that it complains, its silence would prove nothing.
var brokenIndexes = []struct {
	name string
	harm func(index []byte) []byte
	want string
}{
	{"no index", func([]byte) []byte { return nil }, "No index file is given"},
	{"cut within a cell", func(x []byte) []byte { return x[:len(x)/2] }, "is corrupted: read whole data file"},
	{"another magic", func(x []byte) []byte { x[0]++; return x }, "index magic"},
	{"an unknown kind", func(x []byte) []byte { x[16] = 99; return x }, "is corrupted: read whole data file"},
	{"another magic at the end", func(x []byte) []byte { x[len(x)-1]++; return x }, "Wrong final index magic"},
	{"a reference object's id", func(x []byte) []byte { x[cellOf(x, 1)+4]++; return x }, "but datafile has"},
	{"a reference object's start", func(x []byte) []byte { x[cellOf(x, 1)+12]++; return x }, "but datafile has"},
	{"a root's start", func(x []byte) []byte { x[lastCellOf(x, 8)+12]++; return x }, "has wrong start position in index"},
	{"a container's end", func(x []byte) []byte { x[cellOf(x, 8)+20]++; return x }, "unknown ordinal"},
	{"a container missing", func(x []byte) []byte {
		at := cellOf(x, 8)
		return append(x[:at], x[at+21:]...)
	}, "in index"},
	{"a block missing", func(x []byte) []byte {
		at := cellOf(x, 10)
		return append(x[:at], x[at+21:]...)
	}, prints},
}

// prints marks a fault on which the real reader is silent: it prints
// a different text than the eager loader, which needs no index.
const prints = ""

// cellOf returns the offset of the first cell of a kind. The numbers are those
// of the file, independent of the code under test.
func cellOf(index []byte, kind byte) int {
	for at := 16; at < len(index); at += 21 {
		if index[at] == kind {
			return at
		}
	}
	panic(fmt.Sprintf("no cell of kind %d", kind))
}

// lastCellOf returns the offset of the last cell of a kind; for containers, that of a root.
func lastCellOf(index []byte, kind byte) int {
	for at := len(index) - 29 - 21; at >= 16; at -= 21 {
		if index[at] == kind {
			return at
		}
	}
	panic(fmt.Sprintf("no cell of kind %d", kind))
}

func TestReferenceNoticesBrokenIndex(t *testing.T) { eachReference(t, testNoticesBrokenIndex) }

func testNoticesBrokenIndex(t *testing.T, r *reference) {
	name := r.release.recordedAs(t, "threads", "stream", ".bin")
	for _, c := range brokenIndexes {
		t.Run(c.name, func(t *testing.T) {
			data := formattest.Unpack(t, name, name+".idx")
			whole := r.lazily(t, data, true) // not broken: accepted
			index := c.harm(formattest.Recorded(t, name+".idx"))
			if err := os.WriteFile(data+".idx", index, 0o644); err != nil {
				t.Fatal(err)
			}
			if index == nil {
				if err := os.Remove(data + ".idx"); err != nil {
					t.Fatal(err)
				}
			}
			out := filepath.Join(t.TempDir(), "printed.txt")
			a := r.ask(t, "print-lazy", data, out, "verbose", "raw")
			if c.want == prints {
				accept(t, a)
				if text, err := os.ReadFile(out); err != nil || string(text) == whole {
					t.Errorf("Lincheck's reader notices nothing (%v)", err)
				}
			} else if !strings.Contains(a.complaint(), c.want) {
				t.Errorf("Lincheck's reader says %.300q, want %q", a.complaint(), c.want)
			}
		})
	}
}

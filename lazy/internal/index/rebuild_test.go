package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestCommitFails: if the index cannot be completed, Commit returns the reason and
// leaves no file.
func TestCommitFails(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin")
	out, err := Create(path+".idx", path, format.V22)
	if err != nil {
		t.Fatal(err)
	}
	out.pending.Close() // no write succeeds from now on
	out.BeginBlock(1, 16)
	for range 2 << 20 / format.CellSize {
		out.Cell(format.Cell{Kind: format.KindTracePoint})
	}
	out.EndBlock(100)
	if err := out.Commit(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v does not tell what could not be written", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 || left[0].Name() != "gson.stream.bin" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

package index

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestVerifyFaults: faults of the index are distinguished from those of the data.
func TestVerifyFaults(t *testing.T) {
	name := "gson.stream.bin"
	data, cells := formattest.Recorded(t, name), formattest.Recorded(t, name+".idx")
	wrong := bytes.Clone(cells)
	wrong[format.HeaderSize+5*format.CellSize+format.CellStartAt+7] ^= 1
	for what, c := range map[string]struct {
		data, index []byte // nil if absent
		ofIndex     bool
		is          error
	}{
		"both good":          {data, cells, false, nil},
		"no index":           {data, nil, true, fs.ErrNotExist},
		"another file":       {data, []byte("a text, and a long one"), true, format.ErrNotTrace},
		"an index cut short": {data, cells[:len(cells)-1], true, format.ErrTruncated},
		"a wrong cell":       {data, wrong, true, ErrContradiction},
		"data cut short":     {data[:len(data)-1], cells, false, format.ErrTruncated},
		"no data":            {nil, cells, false, fs.ErrNotExist},
	} {
		path := t.TempDir() + "/trace.bin"
		for file, b := range map[string][]byte{path: c.data, path + ".idx": c.index} {
			if b == nil {
				continue
			}
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Verify(t.Context(), path, "", nil)
		var fault *Error
		if errors.As(err, &fault) != c.ofIndex || !errors.Is(err, c.is) {
			t.Errorf("%s: %v; a fault of the index: %v, want %v, and %v", what, err, fault != nil, c.ofIndex, c.is)
		}
	}
}

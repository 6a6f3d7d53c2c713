package appmap

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// TestProbe: when only the clock of an input is asked for, the rest of it is not read.
func TestProbe(t *testing.T) {
	var events []string
	for i := range 5000 {
		events = append(events, call(i, "1", "a", `,"timestamp":1700000000.5`), end(i, "1", "1", ""))
	}
	text := document(events...)
	path := filepath.Join(t.TempDir(), "a.appmap.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	once := strings.NewReader(text)
	w := calltrace.Probe()
	defer w.Discard()
	clock, err := w.Clock(Source.Convert(t.Context(), sources.Input{Reader: struct{ io.Reader }{once}, Path: path}, "", w))
	if err != nil || !clock.Some || clock.Anchor.UnixNano() != 1_700_000_000_500_000_000 || clock.First != 0 || once.Len() < len(text)/2 {
		t.Errorf("%+v %v, %d of %d bytes are not read", clock, err, once.Len(), len(text))
	}
}

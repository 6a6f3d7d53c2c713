package chrome_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/readback"
)

var update = flag.Bool("update", false, "write the stories in testdata anew")

// convert converts a text, and returns the trace with what was left out, and the fault.
func convert(t testing.TB, text string, o calltrace.Options) (*readback.Trace, *calltrace.Summary, error) {
	t.Helper()
	trace, sum, err := readback.ConvertReader(t.Context(), &chrome.Source, strings.NewReader(text), o)
	if trace == nil {
		t.Fatal(err)
	}
	return trace, sum, err
}

// TestTools converts small files as tools write them, and compares them with their stories.
func TestTools(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.json")
	if err != nil || len(inputs) < 6 {
		t.Fatalf("%d files, %v", len(inputs), err)
	}
	for _, path := range inputs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !chrome.Is(text[:min(len(text), 64<<10)]) {
				t.Error("it is not recognised")
			}
			trace, sum, err := convert(t, string(text), calltrace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := "begins at " + trace.Anchor.UTC().Format(time.RFC3339Nano) + "\n" + readback.Story(trace) + readback.Left(sum)
			golden := strings.TrimSuffix(path, ".json") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

package interop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// A trace without an end, translated to another version, is loaded as far as it goes by
// the loader for incomplete traces.
func TestReferenceReadsTranslatedEndless(t *testing.T) { eachReference(t, testReadsTranslatedEndless) }

func testReadsTranslatedEndless(t *testing.T, r *reference) {
	for _, from := range releases {
		if from == r.release {
			continue
		}
		for _, name := range from.recorded(t, ".bin") {
			if !endless(name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				data := translatedPart(t, formattest.Unpack(t, name), r.release.version)
				out := filepath.Join(t.TempDir(), "printed.txt")
				a := r.ask(t, "print-eager", data, out, "short")
				if a.Failed != "" || !strings.Contains(a.Log, "no EOF record") {
					t.Fatalf("Lincheck's reader says %q, %q", a.Failed, a.Log)
				}
				text, err := os.ReadFile(out)
				if err != nil || strings.Count(string(text), "\n") < 2 {
					t.Errorf("prints %.300q, %v", text, err)
				}
			})
		}
	}
}

// translatedPart translates the existing part of the trace at path and returns the path
// of the result.
func translatedPart(t testing.TB, path string, to format.Version) string {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "trace.bin")
	create := func(name string) *os.File {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	files := lazy.TranslateFiles{Data: create(out), Index: create(out + ".idx"), Times: create(out + ".tim")}
	made, err := r.Translate(context.Background(), to, files, nil)
	if err = errors.Join(err, files.Data.Close(), files.Index.Close(), files.Times.Close()); err != nil {
		t.Fatal(err)
	}
	if made.Whole || made.Problem == nil {
		t.Fatalf("whole %v, %v", made.Whole, made.Problem)
	}
	return out
}

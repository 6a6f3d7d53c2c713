package export

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// TestToolsDamaged: of a trace with wrong bytes, in data or times, each format is still one that its readers take, in order and
// nested.
func TestToolsDamaged(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 120, Seed: 9, Timed: true, Wild: true, Options: formattest.Options{BlockSize: 900}}
	from := formattest.File(t, spec)
	random := rand.New(rand.NewPCG(1, 2))
	rounds, read := 25, 0
	if formattest.Exhaustive() {
		rounds = 400
	}
	for range rounds {
		path := filepath.Join(t.TempDir(), "trace.bin")
		for _, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
			b, err := os.ReadFile(from + suffix)
			if err != nil {
				t.Fatal(err)
			}
			for range random.IntN(4) {
				b[20+random.IntN(len(b)-20)] = byte(random.Uint32())
			}
			if err := os.WriteFile(path+suffix, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := lazy.Open(path, lazy.Options{NoWrite: true})
		if err != nil {
			continue // the reader tells what is wrong
		}
		if r.Wait(t.Context()) == nil {
			read += readTools(t, r)
		}
		r.Close()
	}
	if read < rounds {
		t.Errorf("of %d traces, %d files were written", rounds, read)
	}
}

// readTools writes a trace in all formats that tools read, and reads those whose export had no error. It returns how many.
func readTools(t *testing.T, r *lazy.LazyTraceReader) (read int) {
	t.Helper()
	for _, name := range []string{"speedscope", "folded", "pprof", "otlp"} {
		var b bytes.Buffer
		if _, err := job(t, r, Options{Label: "arg.1"}).Write(t.Context(), ByName(name), &b, nil); err != nil {
			continue
		}
		read++
		switch name {
		case "speedscope":
			readSpeedscope(t, b.Bytes())
		case "folded":
			readFolded(t, b.Bytes())
		case "pprof":
			p, err := profile.ParseData(b.Bytes())
			if err == nil {
				err = p.CheckValid()
			}
			if err != nil {
				t.Fatal(err)
			}
		default:
			for line := range bytes.Lines(b.Bytes()) {
				if !json.Valid(line) {
					t.Fatalf("%s", line)
				}
			}
		}
	}
	return read
}

// TestToolsReset: if the index turns out to be wrong in the middle of an export, the file is the same.
func TestToolsReset(t *testing.T) {
	r := opened(t, shop(t))
	for _, name := range []string{"speedscope", "folded", "pprof", "otlp"} {
		j := job(t, r, Options{Label: "arg.1", Title: "shop"})
		want := written(t, j, name)
		var b bytes.Buffer
		o := &output{w: &b}
		target := ByName(name).make(j, o)
		run := j.Run
		if _, ok := target.(ownScope); ok {
			run = j.runAll
		}
		err := target.start()
		for range 2 { // a pass begins with Reset
			if err == nil {
				err = run(t.Context(), target, nil)
			}
		}
		if err == nil {
			err = target.finish()
		}
		o.flush()
		if err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s: %v, %d bytes, want %d", name, err, b.Len(), len(want))
		}
	}
}

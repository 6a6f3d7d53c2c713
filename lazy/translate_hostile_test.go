package lazy

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// A trace with one byte changed is translated up to the damage: into one whose objects
// can all be read, and whose index matches it if it has an end.
func TestTranslateDamaged(t *testing.T) {
	step := 41
	if formattest.Exhaustive() && !formattest.Race {
		step = 13
	}
	for _, v := range []format.Version{format.V22, format.V27} {
		path := formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 40, Seed: 3, Plain: true,
			Options: formattest.Options{Version: v, BlockSize: 1500}})
		data := read(t, path)
		if err := os.Remove(path + ".idx"); err != nil {
			t.Fatal(err)
		}
		whole, cut := 0, 0
		for at := format.HeaderSize; at < min(len(data), 3000); at += step {
			bad := append([]byte(nil), data...)
			bad[at] ^= 1 << (at % 8)
			name := filepath.Join(filepath.Dir(path), "bad.bin")
			if err := os.WriteFile(name, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			there := translateDamaged(t, name, otherVersion(v))
			if there == nil {
				continue
			}
			s := format.NewBytesScanner(read(t, there.path))
			var last int64
			for s.Next() {
				o := s.Object()
				last = o.Offset
				readable(t, s.Version(), &o)
			}
			if (s.Err() == nil) != there.Whole {
				t.Fatalf("byte %d: whole %v, but reading ends behind %d: %v", at, there.Whole, last, s.Err())
			}
			if !there.Whole {
				cut++
				continue
			}
			whole++
			if _, err := VerifyIndex(context.Background(), there.path, "", nil); err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
		if whole == 0 || cut == 0 {
			t.Errorf("version %d: %d whole, %d cut", v, whole, cut)
		}
	}
}

// translateDamaged is translate for bytes that may not be a trace at all; nil in that case.
func translateDamaged(t *testing.T, path string, to format.Version) *translated {
	t.Helper()
	r, err := Open(path, Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Wait(context.Background()) != nil {
		return nil
	}
	there := translate(t, path, to)
	return &there
}

// readable checks that an object can be decoded.
func readable(t *testing.T, v format.Version, o *format.Object) {
	t.Helper()
	var err error
	switch {
	case o.Kind == format.KindTracePoint:
		_, err = v.DecodePoint(o.Bytes, new(format.Point))
	case o.Kind == format.KindFooter:
		_, err = v.DecodeFooter(o.Bytes, o.Class, new(format.Footer))
	case o.Kind.Reference():
		_, _, err = format.NewContext(v).Add(o.Bytes)
	}
	if err != nil {
		t.Fatalf("%v at %d: %v", o.Kind, o.Offset, err)
	}
}

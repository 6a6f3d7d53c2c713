package diff

import (
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// openBytes opens a trace with an index, nil for none. It returns nil if that fails.
func openBytes(t *testing.T, dir string, data, index []byte) *lazy.LazyTraceReader {
	t.Helper()
	path := filepath.Join(dir, "trace.bin")
	os.Remove(path + format.IndexSuffix)
	if index != nil {
		if err := os.WriteFile(path+format.IndexSuffix, index, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		return nil
	}
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// damaged are small traces of several kinds.
func damaged(t *testing.T, f func(t *testing.T, data, index []byte, other *lazy.LazyTraceReader)) {
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Random, formattest.Threads} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec := formattest.Spec{Shape: shape, N: 90, Seed: 3, Options: formattest.Options{Version: version, BlockSize: 2048}}
			if shape == formattest.Threads {
				spec.N = 4
			}
			t.Run(spec.Name(), func(t *testing.T) {
				data, index := formattest.Bytes(t, spec)
				spec.Seed = 4
				f(t, data, index, opened(t, formattest.File(t, spec)))
			})
		}
	}
}

// readable reads all of a trace as the tree does, and reports whether it can. same is false if its index turned out to be wrong, once that is
// made again.
func readable(t *testing.T, lr *lazy.LazyTraceReader) (same, whole bool) {
	t.Helper()
	r := lazy.ReaderOf(lr)
	for first := true; ; first = false {
		on := r.KnownNow()
		err := r.Use(func() error {
			for _, s := range on.View.Streams.All() {
				w, err := r.WalkerOn(on.View, s.Thread)
				if err == nil {
					_, err = textChildren(w, 0, 0, s.Size)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			return first, true
		}
		if again, _ := r.Remade(t.Context(), r.Doubt(err, on.View, on.Epoch), on.Epoch); !again {
			return first, false
		}
	}
}

// stride returns a distance between places to damage, so that there are about n of them; fewer unless all is to be tested.
func stride(size, n int) int {
	switch {
	case formattest.Exhaustive():
	case testing.Short() || formattest.Race:
		n /= 8
	default:
		n /= 3
	}
	return max(1, size/n) | 1
}

// TestRunWrongIndex: an index that is wrong in one byte, cut, or absent, changes nothing.
func TestRunWrongIndex(t *testing.T) {
	damaged(t, func(t *testing.T, data, index []byte, other *lazy.LazyTraceReader) {
		dir := t.TempDir()
		whole := openBytes(t, t.TempDir(), data, index)
		defer whole.Close()
		want := ran(t, whole, other, Options{}).Counts()
		n, again := 0, 0
		check := func(wrong []byte, both bool) {
			r := openBytes(t, dir, data, wrong)
			defer r.Close()
			n++
			before := r.Status().Epoch
			d := New(r, other, Options{})
			defer d.Close()
			if err := d.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if r.Status().Epoch != before {
				again++
			}
			if got := d.Counts(); got != want {
				t.Errorf("the counts are %+v, want %+v", got, want)
			}
			if both {
				hasBoth(t, d, whole, other)
			}
		}
		for at := 0; at < len(index); at += stride(len(index), 120) {
			wrong := append([]byte(nil), index...)
			wrong[at] ^= 1 << (at % 8)
			check(wrong, at%10 == 0)
		}
		for at := 0; at < len(index); at += stride(len(index), 40) {
			check(index[:at], false)
		}
		check(nil, true)
		for at := format.HeaderSize; at < len(index)-format.IndexTail; at += format.CellSize * stride(len(index)/format.CellSize, 100) {
			if c := format.DecodeCell(index[at:]); c.Kind == format.KindTracePoint && c.Start > 2 {
				wrong := append([]byte(nil), index...)
				c.Start--
				c.Put(wrong[at:])
				check(wrong, at%5 == 0)
			}
		}
		t.Logf("%d of %d wrong indexes were found to be by Run, the others before", again, n)
	})
}

// TestDamagedData: what can be read of damaged data is compared, or there is an error.
func TestDamagedData(t *testing.T) {
	damaged(t, func(t *testing.T, data, index []byte, other *lazy.LazyTraceReader) {
		compared, failed := 0, 0
		dir := t.TempDir()
		check := func(data, index []byte) {
			r := openBytes(t, dir, data, index)
			if r == nil {
				failed++
				return
			}
			defer r.Close()
			d := New(r, other, Options{})
			defer d.Close()
			if err := d.Run(t.Context(), nil); err != nil {
				failed++
				return
			}
			same, can := readable(t, r)
			if !can { // Run does not look into values that it only compares: writing them will fail
				if r, pairs, err := d.Open(t.Context(), nil); err == nil {
					pairs.Close()
					r.Close()
				}
				failed++
				return
			}
			if !same { // what is equal or on one side alone is not walked
				if err := d.Run(t.Context(), nil); err != nil {
					failed++
					return
				}
			}
			compared++
			hasBoth(t, d, r, other)
			if !t.Failed() && compared%7 == 0 {
				projected(t, other, r)
				projected(t, r, r)
			}
		}
		for at := 0; at < len(data) && !t.Failed(); at += stride(len(data), 100) {
			wrong := append([]byte(nil), data...)
			wrong[at] ^= 1 << (at % 8)
			if at%2 == 0 {
				check(wrong, index)
			} else {
				check(wrong, nil)
			}
		}
		for at := 0; at < len(data) && !t.Failed(); at += stride(len(data), 60) {
			if at%2 == 0 {
				check(data[:at], index)
			} else {
				check(data[:at], nil)
			}
		}
		if compared == 0 || failed == 0 {
			t.Errorf("%d were compared, %d were not", compared, failed)
		}
		t.Log(compared, failed)
	})
}

package diff

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// hashed returns the hashes of a trace.
func hashed(tb testing.TB, r *lazy.LazyTraceReader, o hashOptions) *hashes {
	tb.Helper()
	h, err := hashTrace(context.Background(), lazy.ReaderOf(r), o, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := h.Close(); err != nil {
			tb.Error(err)
		}
	})
	return h
}

// plainHashes makes the hashes of a thread in one walk over its tree, with all children of a container in memory.
type plainHashes struct {
	w    *walk.Walker
	c    *format.Context
	s    plainSigner
	cell map[int64]record
	open map[int64]record
	// check gets each point.
	check func(e *walk.NodeData, g sign, want record)
}

func (h *plainHashes) children(pos, ord, end int64) (list []whole, err error) {
	for {
		var e walk.NodeData
		ok, err := h.w.Next(pos, ord, end, &e, true)
		if !ok || err != nil {
			return list, err
		}
		g := h.s.point(h.c, &e.Point)
		w := g.leafWhole()
		if e.Container() {
			inside, err := h.children(e.Start, e.First, e.End)
			if err != nil {
				return nil, err
			}
			in := sumOf(inside)
			in.calls += isCall(e.Point.Class)
			w = g.whole(&in, h.s.footer(h.c, e.Point.Class, e.ShownFooter(), e.State))
			if e.State == walk.StateWhole {
				h.cell[e.After-1] = w.record()
			} else {
				h.open[e.At] = w.record()
			}
		}
		h.check(&e, g, w.record())
		list = append(list, w)
		pos, ord = e.Next, e.After
	}
}

// sumOf is the sum of children by big numbers.
func sumOf(list []whole) (in sum) {
	v, s := new(big.Int), new(big.Int)
	p, m := big.NewInt(point), big.NewInt(prime)
	add := func(to *big.Int, x uint64) {
		to.Mul(to, p)
		to.Add(to, new(big.Int).SetUint64(x))
		to.Mod(to, m)
	}
	for _, w := range list {
		add(v, w.v)
		add(s, w.s)
		in.calls += w.calls
	}
	in.v, in.s, in.n = v.Uint64(), s.Uint64(), uint64(len(list))
	return in
}

// checkThread compares the hashes of a thread with plain ones.
func checkThread(t *testing.T, r *lazy.LazyTraceReader, h *hashes, thread int32) (cells, open int) {
	reader := lazy.ReaderOf(r)
	plain := &plainHashes{s: plainSigner{h.signer(thread)}, cell: map[int64]record{}, open: map[int64]record{}}
	plain.check = func(e *walk.NodeData, g sign, want record) {
		if got := h.node(thread, e, g); got != want {
			t.Errorf("thread %d, point at %d: %+v, want %+v", thread, e.At, got, want)
		}
	}
	var roots []whole
	err := reader.Use(func() (err error) {
		v := reader.Known.Load()
		if plain.w, err = reader.WalkerOn(v, thread); err != nil {
			return err
		}
		plain.c = reader.Ctx
		roots, err = plain.children(0, 0, plain.w.S.Size)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range plain.cell {
		if got := h.of(thread, cell); got != want {
			t.Fatalf("thread %d, cell %d: %+v, want %+v", thread, cell, got, want)
		}
	}
	for at, want := range plain.open {
		if got, ok := h.unended(thread, at); !ok || got != want {
			t.Fatalf("thread %d, unended at %d: %+v, %v, want %+v", thread, at, got, ok, want)
		}
	}
	found, _ := h.find(thread)
	if n := plain.w.S.Cells.Len(); int64(len(plain.cell)) != n || found.n != n {
		t.Fatalf("thread %d: %d cells, %d hashed, want %d", thread, len(plain.cell), found.n, n)
	}
	in := sumOf(roots)
	want := sign{}.whole(&in, 0).record()
	if got, ok := h.thread(thread); !ok || got != (threadHash{want.v, want.s, int64(in.calls), len(roots)}) {
		t.Fatalf("thread %d: %+v, want %+v with %d roots", thread, got, want, len(roots))
	}
	return len(plain.cell), len(plain.open)
}

// TestHashes compares the hashes of parts that were put together with those of a plain walk.
func TestHashes(t *testing.T) {
	cells, open := 0, 0
	t.Run("all", func(t *testing.T) {
		traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
			size, _ := r.Size()
			for _, o := range []hashOptions{{}, {share: max(100, size/200)}, {share: max(1000, size/20), identity: true}} {
				h := hashed(t, r, o)
				total := 0
				for _, th := range r.Threads() {
					n, unended := checkThread(t, r, h, th.ID)
					noteMax(&cells, n)
					total += unended
				}
				if noteMax(&open, total); total != len(h.open) {
					t.Fatalf("%d containers without an end, want %d", len(h.open), total)
				}
			}
		})
	})
	if cells == 0 || open == 0 {
		t.Errorf("%d cells and %d containers without an end were compared", cells, open)
	}
}

// TestHashRanges hashes a single container, and compares with its hash in the whole trace.
func TestHashRanges(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 2000, Seed: 3, Options: formattest.Options{BlockSize: 2000}}))
	reader := lazy.ReaderOf(r)
	all := hashed(t, r, hashOptions{})
	var list []walk.NodeData
	err := reader.Use(func() error {
		w, err := reader.WalkerOn(reader.Known.Load(), 0)
		if err != nil {
			return err
		}
		for pos, ord, end := int64(0), int64(0), w.S.Size; ; {
			var e walk.NodeData
			ok, err := w.Next(pos, ord, end, &e, true)
			if !ok || err != nil {
				return err
			}
			pos, ord = e.Next, e.After
			if e.Container() {
				list = append(list, e)
				pos, ord, end = e.Start, e.First, e.End
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 4 {
		t.Fatalf("%d containers within one another", len(list))
	}
	for _, e := range list {
		for _, share := range []int64{0, 300} {
			h := hashed(t, r, hashOptions{ranges: []walk.PassRange{{Thread: 0, From: e.At, To: e.Next}}, share: share})
			th, _ := h.thread(0)
			if want := all.of(0, e.After-1); h.of(0, e.After-1) != want || th.roots != 1 || th.calls != int64(want.calls) {
				t.Errorf("container at %d: %+v, want %+v; thread %+v", e.At, h.of(0, e.After-1), want, th)
			}
			for cell := e.First; cell < e.After; cell++ {
				if h.of(0, cell) != all.of(0, cell) {
					t.Fatalf("container at %d: cell %d differs", e.At, cell)
				}
			}
			if h.of(0, e.First-1) != (record{}) || h.of(0, e.After) != (record{}) {
				t.Error("what is outside of the range has a record")
			}
		}
	}
}

// TestHashGrowing: of a trace that is being recorded, what is known is hashed.
func TestHashGrowing(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 1500, Seed: 7, Threads: 2, Options: formattest.Options{BlockSize: 1 << 10}})
	path := filepath.Join(t.TempDir(), "trace.bin")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const steps = 5
	var r *lazy.LazyTraceReader
	pending := 0
	for step := range steps {
		if _, err := f.Write(data[len(data)*step/steps : len(data)*(step+1)/steps]); err != nil {
			t.Fatal(err)
		}
		if r == nil {
			if r, err = lazy.Open(path, lazy.Options{NoWrite: true, Follow: true}); err != nil {
				t.Fatal(err)
			}
			defer r.Close()
		}
		if err := r.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, share := range []int64{0, 300} {
			h := hashed(t, r, hashOptions{share: share})
			for _, th := range r.Threads() {
				_, open := checkThread(t, r, h, th.ID)
				pending += open
			}
		}
	}
	if pending == 0 {
		t.Error("no container was open")
	}
}

// TestHashDamage: of a damaged trace, what precedes the damage is hashed, and compared.
func TestHashDamage(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Calls, N: 1000, Seed: 5, Options: formattest.Options{BlockSize: 2000}}
	whole := opened(t, formattest.File(t, spec))
	data, _ := formattest.Bytes(t, spec)
	for _, at := range []int{len(data) / 3, len(data) / 2} {
		path := filepath.Join(t.TempDir(), "trace.bin")
		damaged := slices.Clone(data)
		for i := range 64 { // it is in no string
			damaged[at+i] = 0xff
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		r := opened(t, path)
		if r.Status().Problem == nil {
			t.Fatal("no damage is known")
		}
		for _, share := range []int64{0, 300} {
			if _, open := checkThread(t, r, hashed(t, r, hashOptions{share: share}), 0); open == 0 {
				t.Error("nothing is open where the damage is")
			}
			pairs := [][2]int32{{0, 0}}
			got, want := firstOf(t, whole, r, pairs, share), plainFirst(t, whole, r, pairs)
			if want == nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
	}
}

// TestHashStops: a pass that is cancelled leaves nothing behind.
func TestHashStops(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 3000}))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := hashTrace(ctx, lazy.ReaderOf(r), hashOptions{share: 500}, func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if names := formattest.Names(t, dir); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}

// TestHashDiskFull: without room for the file the error says so.
func TestHashDiskFull(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 100}))
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	_, err := hashTrace(context.Background(), lazy.ReaderOf(r), hashOptions{}, nil)
	if err == nil || format.Hint(err) == "" {
		t.Errorf("error %v, hint %q", err, format.Hint(err))
	}
}

// TestRecordFileFull: the error of a full disk has a hint, whether the buffer or the end of the file meets it.
func TestRecordFileFull(t *testing.T) {
	for _, n := range []int{1, recordBuffer} {
		f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		r := &recordFile{f: f, w: bufio.NewWriterSize(f, recordBuffer)}
		if err = r.write(make([]record, n)); err == nil {
			_, err = r.done()
		}
		if !errors.Is(err, syscall.ENOSPC) || format.Hint(err) == "" {
			t.Errorf("%d records: %v, hint %q", n, err, format.Hint(err))
		}
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSums compares sums of parts with those of big numbers.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var list []whole
		var got sum
		for range r.IntN(5) {
			var part sum
			for range r.IntN(9) {
				w := whole{r.Uint64() >> r.IntN(64), r.Uint64(), r.Uint64() >> 40}
				if r.IntN(9) == 0 {
					w.v = ^uint64(0)
				}
				part.add(w)
				list = append(list, w)
			}
			got.join(&part)
		}
		if want := sumOf(list); got != want {
			t.Fatalf("%d children: %+v, want %+v", len(list), got, want)
		}
	}
}

// BenchmarkHash makes the hashes of a trace of a million calls.
func BenchmarkHash(b *testing.B) {
	for _, version := range []format.Version{format.V22, format.V27} {
		b.Run(fmt.Sprintf("version=%d", version), func(b *testing.B) {
			r := opened(b, formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: 1_000_000, Seed: 1,
				Options: formattest.Options{Version: version}}))
			size, _ := r.Size()
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				h, err := hashTrace(b.Context(), lazy.ReaderOf(r), hashOptions{}, nil)
				if err != nil {
					b.Fatal(err)
				}
				h.Close()
			}
		})
	}
}

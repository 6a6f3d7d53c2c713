package lazy

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

// TestFollowBytesThatComeLate: if a file reports a size before it has the bytes,
// as on a network file system, nothing wrong is shown; the bytes are shown when they
// arrive.
func TestFollowBytesThatComeLate(t *testing.T) {
	for seed := range uint64(6) {
		spec := formattest.Spec{Shape: formattest.Random, N: 250, Seed: seed}
		spec.BlockSize = 512
		data, _ := formattest.Bytes(t, spec)
		rng := rand.New(rand.NewPCG(seed, 1))
		w := write(t, filepath.Join(t.TempDir(), "trace.bin"), data)
		w.to(len(data) / 4)
		r := followed(t, w.path, Options{NoWrite: true})
		for w.size < len(data) {
			size := min(w.size+1+rng.IntN(len(data)/6), len(data))
			late := make([]byte, rng.IntN(size-w.size)+1) // zeros, at the end
			if rng.IntN(2) == 0 {
				for i := range late {
					late[i] = 0xee
				}
			}
			w.to(size - len(late))
			at := int64(w.size)
			if _, err := w.f.WriteAt(late, at); err != nil {
				t.Fatal(err)
			}
			for range rng.IntN(3) {
				if st := catchUp(t, r); st.Problem != nil || st.Growth.Wait != nil || st.Phase != PhaseFollowing {
					t.Fatalf("status %+v", st)
				}
			}
			w.to(size)
			catchUp(t, r)
			// Only in this look may bytes that were accepted turn out wrong.
			if st := catchUp(t, r); st.Epoch != 0 || st.Problem != nil {
				t.Fatalf("status %+v", st)
			}
			shows(t, r, wholeBlocks(data[:w.size]))
		}
		if st := r.Status(); st.Phase != PhaseReady {
			t.Fatalf("status %+v", st)
		}
	}
}

// TestFollowDamage: permanent damage is reported, but not as the end: a recorder may
// write more after it, and it may be repaired.
func TestFollowDamage(t *testing.T) {
	for _, name := range []string{"threads.stream.bin", "threads.v27.stream.bin"} {
		t.Run(name, func(t *testing.T) { followDamage(t, formattest.Recorded(t, name)) })
	}
}

func followDamage(t *testing.T, data []byte) {
	good := wholeBlocks(data[:len(data)*2/3])
	w := write(t, filepath.Join(t.TempDir(), "trace.bin"), data)
	w.to(len(data) * 5 / 6)
	damaged := make([]byte, 100)
	for i := range damaged {
		damaged[i] = 0xee
	}
	if _, err := w.f.WriteAt(damaged, int64(len(good))); err != nil {
		t.Fatal(err)
	}
	r := followed(t, w.path, Options{NoWrite: true})
	for looks := 0; r.Status().Growth.Wait == nil; looks++ {
		if st := catchUp(t, r); st.Problem != nil || st.Phase != PhaseFollowing || looks > 10*trace.StuckPolls {
			t.Fatalf("status %+v", st)
		}
	}
	st := r.Status()
	if said := trace.Text(st.Growth.Wait); !strings.Contains(said, "cannot read") || !strings.Contains(said, format.ErrCorrupt.Error()) {
		t.Errorf("it says %q", said)
	}
	shows(t, r, good)
	if _, err := w.f.WriteAt(data[len(good):len(good)+len(damaged)], int64(len(good))); err != nil {
		t.Fatal(err)
	}
	w.to(len(data))
	if st := catchUp(t, r); st.Phase != PhaseReady || st.Problem != nil || st.Growth.Wait != nil || st.Epoch != 0 {
		t.Fatalf("mended: %+v", st)
	}
	shows(t, r, data)
}

// TestFollowDamagedReference: the same of a class, a method or a text, wherever it is in its block.
func TestFollowDamagedReference(t *testing.T) {
	data := formattest.Recorded(t, "threads.stream.bin")
	var ends []int64
	for s := format.NewBytesScanner(data); s.Next(); {
		if o := s.Object(); o.Kind == format.KindString || o.Kind == format.KindThreadName {
			ends = append(ends, o.Offset+int64(len(o.Bytes))-1) // of their texts
		}
	}
	for _, at := range []int64{ends[0], ends[len(ends)/2], ends[len(ends)-1]} {
		w := write(t, filepath.Join(t.TempDir(), "trace.bin"), data)
		w.to(len(data))
		if _, err := w.f.WriteAt([]byte{0xff}, at); err != nil {
			t.Fatal(err)
		}
		r := followed(t, w.path, Options{NoWrite: true})
		for looks := 0; r.Status().Growth.Wait == nil; looks++ {
			if st := catchUp(t, r); st.Problem != nil || st.Phase != PhaseFollowing || looks > 10*trace.StuckPolls {
				t.Fatalf("damaged at %d: status %+v", at, st)
			}
		}
		if _, err := w.f.WriteAt(data[at:at+1], at); err != nil {
			t.Fatal(err)
		}
		if st := catchUp(t, r); st.Phase != PhaseReady || st.Problem != nil || st.Growth.Wait != nil || st.Epoch != 0 {
			t.Fatalf("mended at %d: %+v", at, st)
		}
		shows(t, r, data)
	}
}

// TestFollowDamageEnds: a reader that stops following a damaged recording reports the
// damage as for any recording.
func TestFollowDamageEnds(t *testing.T) {
	data := formattest.Recorded(t, "shapes.stream.bin")
	w := write(t, filepath.Join(t.TempDir(), "trace.bin"), append(wholeBlocks(data[:len(data)/2:len(data)/2]), 0xee))
	w.to(len(w.data))
	r := followed(t, w.path, Options{NoWrite: true})
	catchUp(t, r)
	r.Unfollow()
	st := waitFor(t, r, func(st Status) bool { return st.Phase == PhaseReady })
	cold := ready(t, w.path, Options{NoWrite: true}).Status()
	if st.Problem == nil || trace.Text(st.Problem) != trace.Text(cold.Problem) || st.Unfinished != cold.Unfinished {
		t.Errorf("status %+v, want %+v", st, cold)
	}
}

// TestLargeBlock: a block that is written over a long time is shown as it grows,
// once it is larger than any block that is written at once.
func TestLargeBlock(t *testing.T) {
	if formattest.Race {
		t.Skip("10 MB of trace: slow, and nothing runs beside it")
	}
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.WideCalls, N: 100_000, Seed: 1, Options: formattest.Options{Dump: true}})
	if blocks := wholeBlocks(data[:len(data)-2]); len(blocks) != format.HeaderSize || len(data) < 2*index.WholeBlock {
		t.Fatalf("%d bytes, of which %d in whole blocks: the test says nothing", len(data), len(blocks))
	}
	w := write(t, filepath.Join(t.TempDir(), "trace.bin"), data)
	w.to(index.WholeBlock / 2)
	r := followed(t, w.path, Options{NoWrite: true})
	catchUp(t, r)
	if n := len(r.Threads()); n != 0 {
		t.Fatalf("%d threads in half a block", n)
	}
	w.to(index.WholeBlock * 3 / 2)
	catchUp(t, r)
	before := r.Threads()
	if len(before) != 1 || before[0].Containers == 0 {
		t.Fatalf("of a large block nothing is shown: %+v", before)
	}
	w.to(len(data))
	if st := catchUp(t, r); st.Phase != PhaseReady || st.Epoch != 0 {
		t.Errorf("status %+v", st)
	}
}

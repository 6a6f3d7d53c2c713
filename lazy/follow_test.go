package lazy

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/lazy/internal/trace"
)

func init() {
	trace.EndPatience = 20 * time.Millisecond
	trace.PollEvery, trace.PollIdle = time.Hour, time.Hour
}

// written is a file that a test writes as a recorder does, bit by bit.
type written struct {
	t    *testing.T
	path string
	f    *os.File
	data []byte
	size int
}

func write(t *testing.T, path string, data []byte) *written {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &written{t: t, path: path, f: f, data: data}
}

// to continues writing up to a size.
func (w *written) to(size int) {
	w.t.Helper()
	size = min(size, len(w.data))
	if _, err := w.f.Write(w.data[w.size:size]); err != nil {
		w.t.Fatal(err)
	}
	w.size = size
}

// put writes a whole file.
func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// followed opens a trace that is being written.
func followed(t *testing.T, path string, o Options) *LazyTraceReader {
	t.Helper()
	o.Follow = true
	r, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// catchUp makes the reader look at the file now.
func catchUp(t *testing.T, r *LazyTraceReader) Status {
	t.Helper()
	if err := r.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.Status()
}

// wholeBlocks returns the bytes of data up to the end of the last whole block.
func wholeBlocks(data []byte) []byte {
	end := int64(format.HeaderSize)
	for s := format.NewBytesScanner(data); s.Next(); {
		if k := s.Object().Kind; k == format.KindBlockEnd || k == format.KindEOF {
			end = s.Offset()
		}
	}
	return data[:end]
}

// eagerRaw returns data as the eager loader prints it.
func eagerRaw(t *testing.T, data []byte) []byte {
	t.Helper()
	f, err := eager.Load(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Print(&out, PrintOptions{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestFollow: at each moment the reader shows the whole blocks in the file, no node
// moves, and the end is handled as for any trace.
func TestFollow(t *testing.T) {
	eachGrowing(t, func(t *testing.T, data []byte, rng *rand.Rand) {
		path := filepath.Join(t.TempDir(), "trace.bin")
		r := followed(t, path, Options{NoWrite: true})
		if st := catchUp(t, r); !st.Growth.On || st.Growth.Wait == nil || len(r.Tree(false).Threads()) > 0 {
			t.Fatalf("without a file: %+v", st)
		}
		w := write(t, path, data)
		tree := r.Tree(false)
		var before []*Node
		steps := 20
		if formattest.Race {
			steps = 6
		}
		for w.size < len(data) {
			w.to(w.size + 1 + rng.IntN(2*len(data)/steps))
			st := catchUp(t, r)
			if w.size >= format.HeaderSize && st.Growth.Wait != nil || st.Problem != nil {
				t.Fatalf("%d bytes of %d: %+v", w.size, len(data), st)
			}
			tree.Refresh()
			nodes := walkAll(t, tree, rng)
			if w.size < len(data) {
				if st.Phase != PhaseFollowing {
					t.Fatalf("%d bytes of %d: %+v", w.size, len(data), st)
				}
				if w.size >= format.HeaderSize {
					formattest.SameText(t, []byte(textOfNodes(tree, nodes)), eagerRaw(t, wholeBlocks(data[:w.size])))
					if behind := int64(w.size - len(wholeBlocks(data[:w.size]))); st.Growth.Behind != behind {
						t.Errorf("%d bytes of %d: %d are told not to be shown, not %d", w.size, len(data), st.Growth.Behind, behind)
					}
				}
			}
			i := 0
			for _, n := range nodes {
				if i < len(before) && n == before[i] {
					i++
				}
			}
			if i < len(before) {
				t.Fatalf("%d bytes of %d: node %d of %d that was shown is not in its place", w.size, len(data), i, len(before))
			}
			before = nodes
		}
		if format.Kind(data[len(data)-1]) != format.KindEOF {
			r.Unfollow()
			for r.Status().Growth.On {
				<-r.Changed()
			}
			if err := r.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		st := catchUp(t, r)
		cold := open(t, path, Options{NoWrite: true})
		defer cold.Close()
		if err := cold.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := cold.Status()
		if st.Phase != PhaseReady || st.Index != IndexRebuilt || st.Unfinished != want.Unfinished || trace.Text(st.Problem) != trace.Text(want.Problem) {
			t.Fatalf("in the end %+v, want %+v", st, want)
		}
		for _, folded := range []bool{false, true} {
			a, b := r.Tree(folded), cold.Tree(folded)
			got := treeText(t, a, ways(t, a)["all"])
			formattest.SameText(t, []byte(got), []byte(treeText(t, b, ways(t, b)["all"])))
			formattest.SameText(t, []byte(got), []byte(eagerText(t, path, folded)))
		}
	})
}

// TestFollowTakesTheIndex: when the data is complete, an existing index is used;
// otherwise one is made and stored.
func TestFollowTakesTheIndex(t *testing.T) {
	name := "gson.stream.bin"
	data, index := formattest.Recorded(t, name), formattest.Recorded(t, name+".idx")
	for _, c := range []struct {
		about string
		index []byte
		want  string
		files []string
	}{
		{"an index", index, IndexRecorded, []string{name, name + ".idx"}},
		{"no index", nil, IndexStored, []string{name, name + ".idx"}},
		{"half an index", index[:len(index)/2], IndexStored, []string{name, name + ".idx"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			w := write(t, path, data)
			w.to(len(data) / 2)
			r := followed(t, path, Options{})
			catchUp(t, r)
			w.to(len(data))
			if c.index != nil {
				put(t, path+".idx", c.index)
			}
			st := catchUp(t, r)
			if st.Phase != PhaseReady || st.Index != c.want || st.Growth.On {
				t.Errorf("status %+v", st)
			}
			onlyFiles(t, filepath.Dir(path), c.files...)
			made, err := os.ReadFile(path + ".idx")
			if err != nil || !bytes.Equal(made, index) {
				t.Errorf("%d bytes of index, want %d: %v", len(made), len(index), err)
			}
			tree := r.Tree(true)
			formattest.SameText(t, []byte(treeText(t, tree, ways(t, tree)["all"])), []byte(eagerText(t, path, true)))
		})
	}
}

// TestFollowFinished: a complete trace is not scanned, but opened as usual.
func TestFollowFinished(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx")
	r := followed(t, path, Options{})
	st := catchUp(t, r)
	if v := r.r.Known.Load(); st.Phase != PhaseReady || st.Index != IndexRecorded || st.Growth.On || v.Index == nil || v.Data != nil {
		t.Errorf("status %+v", st)
	}
	if r.Follow() {
		t.Error("a trace with its end is followed")
	}
}

// TestFollowAgain: after Unfollow, a recording without an end can be followed again; so
// can one that was not followed at first.
func TestFollowAgain(t *testing.T) {
	data := formattest.Recorded(t, "threads.stream.bin")
	path := filepath.Join(t.TempDir(), "trace.bin")
	w := write(t, path, data)
	w.to(len(data) / 3)
	r := open(t, path, Options{NoWrite: true})
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.to(len(data) * 2 / 5)
	if LookForAnother(r); r.Status().Replaced {
		t.Error("a recording that goes on is taken for another one")
	}
	for _, size := range []int{len(data) / 2, len(data) * 2 / 3, len(data)} {
		if st := r.Status(); st.Problem == nil || st.Growth.On {
			t.Fatalf("status %+v", st)
		}
		if !r.Follow() {
			t.Fatal("it is not followed")
		}
		w.to(size)
		st := catchUp(t, r)
		if on := size < len(data); st.Problem != nil || st.Growth.On != on || st.Growth.Again != nil {
			t.Fatalf("status %+v", st)
		}
		tree := r.Tree(false)
		nodes := walkAll(t, tree, rand.New(rand.NewPCG(1, 2)))
		formattest.SameText(t, []byte(textOfNodes(tree, nodes)), eagerRaw(t, wholeBlocks(data[:size])))
		if size == len(data) {
			break
		}
		r.Unfollow()
		waitFor(t, r, func(st Status) bool { return st.Phase == PhaseReady })
	}
}

// waitFor waits until the status satisfies wanted.
func waitFor(t *testing.T, r *LazyTraceReader, wanted func(Status) bool) Status {
	t.Helper()
	for {
		if st := r.Status(); wanted(st) {
			return st
		}
		select {
		case <-r.Changed():
		case <-t.Context().Done():
			t.Fatalf("status %+v", r.Status())
		}
	}
}

// TestFollowCancelled: a reader can be closed and queried at any time.
func TestFollowCancelled(t *testing.T) {
	data := formattest.Recorded(t, "threads.stream.bin")
	path := filepath.Join(t.TempDir(), "trace.bin")
	write(t, path, data).to(len(data) / 2)
	for range 20 {
		r := followed(t, path, Options{NoWrite: true})
		done := make(chan error)
		go func() { done <- r.CatchUp(context.Background()) }()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r := followed(t, filepath.Join(t.TempDir(), "none"), Options{})
	if err := r.CatchUp(gone); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if !slices.Contains([]Phase{PhaseFollowing, PhaseOpening}, r.Status().Phase) {
		t.Errorf("status %+v", r.Status())
	}
}

// TestFollowReplaced: of a complete trace another one takes the place, and then another: Follow begins with each.
func TestFollowReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	put(t, path, formattest.Recorded(t, "gson.stream.bin"))
	r := open(t, path, Options{NoWrite: true})
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"shapes.stream.bin", "threads.stream.bin"} {
		if LookForAnother(r); r.Status().Replaced || r.Follow() {
			t.Fatalf("%+v before it was replaced", r.Status())
		}
		data := formattest.Recorded(t, name)
		put(t, path+".new", data)
		if err := os.Rename(path+".new", path); err != nil {
			t.Skip("an open file cannot be replaced here: ", err)
		}
		if LookForAnother(r); !r.Status().Replaced || !r.Follow() {
			t.Fatalf("%+v after it was replaced by %s", r.Status(), name)
		}
		if st := catchUp(t, r); st.Replaced || st.Phase != PhaseReady || st.Growth.Recording != i+1 {
			t.Fatalf("status %+v", st)
		}
		shows(t, r, data)
	}
}

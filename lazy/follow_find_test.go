package lazy

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/trace"
)

// shows checks that a reader shows the same as the eager loader.
func shows(t *testing.T, r *LazyTraceReader, data []byte) {
	t.Helper()
	tree := r.Tree(false)
	nodes := walkAll(t, tree, rand.New(rand.NewPCG(1, 2)))
	formattest.SameText(t, []byte(textOfNodes(tree, nodes)), eagerRaw(t, data))
}

// TestFollowWaitsForAHeader: a file that does not exist, is empty or has only part of
// a header is waited for.
func TestFollowWaitsForAHeader(t *testing.T) {
	data := formattest.Recorded(t, "roots.dump.bin")
	path := filepath.Join(t.TempDir(), "trace.bin")
	r := followed(t, path, Options{NoWrite: true})
	says := func(want string) {
		t.Helper()
		st := catchUp(t, r)
		if st.Phase != PhaseFollowing || !strings.Contains(trace.Text(st.Growth.Wait), want) || st.Problem != nil {
			t.Fatalf("status %+v, want that it waits: %s", st, want)
		}
		if len(r.Tree(false).Threads()) > 0 {
			t.Fatal("something is shown")
		}
	}
	says("no such file yet")
	w := write(t, path, data)
	says("still empty")
	w.to(5)
	says("a header of 16 bytes")
	w.to(format.HeaderSize)
	if st := catchUp(t, r); st.Growth.Wait != nil {
		t.Fatalf("status %+v", st)
	}
	w.to(len(data))
	if st := catchUp(t, r); st.Phase != PhaseReady {
		t.Fatalf("status %+v", st)
	}
	shows(t, r, data)
}

// TestFollowRefuses: files that are not growing traces are refused, when opened or later.
func TestFollowRefuses(t *testing.T) {
	packed := formattest.Recorded(t, "packed.stream.bin.packedtrace")
	data := formattest.Recorded(t, "roots.dump.bin")
	for _, c := range []struct {
		about string
		bytes []byte
		want  error
	}{
		{"a packed trace", packed, ErrPacked},
		{"text", []byte("one line and then another\n"), format.ErrNotTrace},
		{"a few letters", []byte("abc"), format.ErrNotTrace},
		{"another version", append(bytes.Clone(data[:15]), 21), format.ErrVersion},
	} {
		path := filepath.Join(t.TempDir(), "trace.bin")
		later := followed(t, path, Options{})
		put(t, path, c.bytes)
		if _, err := Open(path, Options{Follow: true}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.about, err)
		}
		if st := catchUp(t, later); st.Phase != PhaseFailed || !errors.Is(st.Problem, c.want) || st.Growth.On {
			t.Errorf("%s that comes later: %+v", c.about, st)
		}
	}
	if _, err := Open(t.TempDir(), Options{Follow: true}); !errors.Is(err, format.ErrNotTrace) {
		t.Errorf("a directory: %v", err)
	}
	put(t, filepath.Join(t.TempDir(), "file"), nil)
	if _, err := Open(filepath.Join(t.TempDir(), "a\x00b"), Options{Follow: true}); err == nil {
		t.Error("a name that no file can have is waited for")
	}
}

// TestFollowAnotherFile: the followed file is removed, replaced, cut short or
// rewritten. The reader shows the current contents, and the status has the cause.
func TestFollowAnotherFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mapped files cannot be removed or cut short there")
	}
	first, second := formattest.Recorded(t, "threads.stream.bin"), formattest.Recorded(t, "shapes.stream.bin")
	half := func(data []byte) []byte { return wholeBlocks(data[:len(data)*2/3]) }
	for _, c := range []struct {
		about string
		do    func(t *testing.T, w *written)
		wait  error  // while no data can arrive
		again string // why it is shown from the beginning; "" if it is not
		then  []byte // what is shown
	}{
		{"removed", func(t *testing.T, w *written) { os.Remove(w.path) }, trace.ErrGone, "", half(first)},
		{"renamed", func(t *testing.T, w *written) {
			os.Rename(w.path, w.path+".old")
			w.to(len(w.data) * 3 / 4)
		}, trace.ErrGone, "", wholeBlocks(first[:len(first)*3/4])},
		{"another in its place", func(t *testing.T, w *written) {
			os.Remove(w.path)
			put(t, w.path, second[:len(second)*2/3])
		}, nil, "another recording", half(second)},
		{"junk in its place", func(t *testing.T, w *written) {
			os.Remove(w.path)
			put(t, w.path, []byte("junk"))
		}, format.ErrNotTrace, "", half(first)},
		{"an empty one in its place", func(t *testing.T, w *written) {
			os.Remove(w.path)
			put(t, w.path, nil)
		}, trace.ErrEmptyFile, "", half(first)},
		{"cut short", func(t *testing.T, w *written) {
			os.Truncate(w.path, int64(len(first)/3))
		}, nil, "was cut short from", wholeBlocks(first[:len(first)/3])},
		{"rewritten, larger", func(t *testing.T, w *written) {
			put(t, w.path, append(bytes.Clone(second[:len(second)-1]), first[format.HeaderSize:]...))
		}, nil, "rewritten", wholeBlocks(append(bytes.Clone(second[:len(second)-1]), first[format.HeaderSize:]...))},
		{"cut within the block that goes on", func(t *testing.T, w *written) {
			os.Truncate(w.path, int64(len(half(first)))+3)
		}, nil, "", half(first)},
	} {
		t.Run(c.about, func(t *testing.T) {
			w := write(t, filepath.Join(t.TempDir(), "trace.bin"), first)
			w.to(len(first) * 2 / 3)
			r := followed(t, w.path, Options{NoWrite: true})
			tree := r.Tree(true)
			catchUp(t, r)
			tree.Refresh()
			for _, th := range tree.Threads() {
				tree.Expand(th)
				if _, err := tree.Children(t.Context(), th); err != nil {
					t.Fatal(err)
				}
			}
			c.do(t, w)
			catchUp(t, r)
			st := catchUp(t, r) // one look notices that a file was rewritten, the next reads it
			if (c.wait == nil) != (st.Growth.Wait == nil) || c.wait != nil && !errors.Is(st.Growth.Wait, c.wait) {
				t.Errorf("it waits: %v, want %v", st.Growth.Wait, c.wait)
			}
			if again := trace.Text(st.Growth.Again); (c.again == "") != (again == "") || !strings.Contains(again, c.again) {
				t.Errorf("it says %q, want %q", again, c.again)
			}
			if (c.again == "") != (st.Growth.Recording == 0) || st.Epoch != st.Growth.Recording {
				t.Errorf("status %+v", st)
			}
			shows(t, r, c.then)
			// An earlier tree is not wrong, and does not panic.
			tree.Refresh()
			for _, n := range walkAllOrStale(tree) {
				tree.AppendText(nil, n, true)
			}
		})
	}
}

// walkAllOrStale loads and expands what it can.
func walkAllOrStale(tree *Tree) (nodes []*Node) {
	row, ok := tree.First()
	for loads := 0; ok && loads < 1000; {
		if row.Gap() {
			loads++
			if tree.Load(context.Background(), row, AtStart) == nil {
				if again := tree.Resolve(row); again != row {
					row = again
					continue
				}
			}
		} else {
			nodes = append(nodes, row.Node)
			tree.Expand(row.Node)
		}
		row, ok = tree.Next(row)
	}
	return nodes
}

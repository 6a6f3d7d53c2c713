package lazy

import (
	"errors"
	"os"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// openAtAll returns what all threads had open at some moments of a recording, before and after it too.
func openAtAll(t *testing.T, r *LazyTraceReader) (all [][]OpenThread) {
	t.Helper()
	var ids []int32
	for th := range r.ThreadList().All() {
		ids = append(ids, th.ID)
	}
	_, length, ok := r.Recording()
	if !ok {
		t.Fatal("no length")
	}
	const moments = 50
	for i := range int64(moments + 1) {
		list, err := OpenAt(t.Context(), r, ids, -1+(int64(length)+2)*i/moments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list)
	}
	return all
}

// TestOpenAtDistrusts: an index that contradicts the data is found out, and rebuilt, and the answer is that of the data;
// each place is where a point begins.
func TestOpenAtDistrusts(t *testing.T) {
	for _, seed := range []uint64{5, 8, 13} {
		path := formattest.File(t, formattest.Spec{Shape: formattest.Random, Threads: 3, N: 600, Seed: seed, Timed: true})
		want := openAtAll(t, ready(t, path, Options{NoWrite: true}))
		bad := t.TempDir() + "/trace.bin"
		for _, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
			b, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			if suffix == format.IndexSuffix {
				b = lyingIndex(t, b)
			}
			if err := os.WriteFile(bad+suffix, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := ready(t, bad, Options{NoWrite: true})
		before := r.Status()
		if before.Index != IndexRecorded {
			t.Fatalf("the lie was noticed at once: %+v", before)
		}
		got := openAtAll(t, r)
		in := 0
		for i := range want {
			for k, o := range want[i] {
				if got[i][k] != o {
					t.Errorf("moment %d: %+v, want %+v", i, got[i][k], o)
				}
				if o.State != OpenIn {
					continue
				}
				in++
				if at, _, err := r.Find(t.Context(), PositionHandle(o.Position)); err != nil || at != o.Position {
					t.Errorf("moment %d: %+v is at %+v, %v", i, o, at, err)
				}
			}
		}
		if in < 50 || r.Status().Epoch == before.Epoch {
			t.Errorf("in %d containers; epoch %d, then %d", in, before.Epoch, r.Status().Epoch)
		}
	}
}

// TestOpenAtWithoutTimes: without times nothing is known, and a thread that is not there is told so.
func TestOpenAtWithoutTimes(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 50, Seed: 5}), Options{NoWrite: true})
	if _, err := OpenAt(t.Context(), r, []int32{0}, 5); !errors.Is(err, ErrNoTimes) {
		t.Errorf("%v", err)
	}
	timed := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 50, Seed: 5, Timed: true}), Options{NoWrite: true})
	list, err := OpenAt(t.Context(), timed, []int32{77}, 5)
	if err != nil || len(list) != 1 || list[0].State != OpenUnknown || list[0].Position.Thread != 77 {
		t.Errorf("%+v, %v", list, err)
	}
}

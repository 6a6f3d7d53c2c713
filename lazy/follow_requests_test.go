package lazy

import (
	"os"
	"path/filepath"
	"testing"

	"tracex/format/formattest"
)

// TestUnfollowAtOnce: Unfollow is effective even before following has begun.
func TestUnfollowAtOnce(t *testing.T) {
	data := formattest.Recorded(t, "threads.stream.bin")
	path := filepath.Join(t.TempDir(), "trace.bin")
	if err := os.WriteFile(path, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	r := ready(t, path, Options{NoWrite: true})
	for range 20 {
		if !r.Follow() {
			t.Fatal("it is not followed")
		}
		r.Unfollow()
		waitFor(t, r, func(st Status) bool { return st.Phase == PhaseReady && !st.Growth.On })
		if err := r.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

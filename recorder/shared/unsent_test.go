package shared

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/recorder"
)

// What a program puts after its service has gone is kept as far as there is room, and the rest is counted.
func TestUnsentIsBounded(t *testing.T) {
	r, h, thread, path := someShared(t)
	put := func(size int64) {
		t.Helper()
		thread.Enter(r.Method(r.Class("C"), "m", recorder.Type{}), 0, recorder.Null())
		thread.Exit(recorder.Void())
		if _, err := r.Flush(); err != nil {
			t.Log(err) // there is no service
		}
		h.unsent.size = size
		if _, err := h.callSink.Put(h.thread, h.part, false); err != nil {
			t.Fatal(err)
		}
	}
	h.unsent.gone.Store(true)
	put(0)
	put(unsentBytes) // the next byte is too many
	put(0)           // nothing follows a gap
	var file []byte
	for _, suffix := range []string{"", UnsentSuffix} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if suffix != "" {
			b = append(b, b[:len(b)-1]...) // the last write was cut
			file = b
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "copy"+format.LiveSuffix+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	done, err := Finish(filepath.Join(filepath.Dir(path), "copy"+format.LiveSuffix), &out)
	if err != nil || done.Missing != 2 || done.Short != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if whole := file[:(len(file)+1)/2]; bytes.Count(out.Bytes(), whole) != 1 {
		t.Errorf("the part that was kept is not among the packets: %q", out.Bytes())
	}
}

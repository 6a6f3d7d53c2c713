package recording

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder"
	"tracex/recorder/shared"
)

// remarks is a Listener that takes remarks alone.
type remarks struct {
	Listener
	all []string
}

func (r *remarks) Remark(what string, why error) { r.all = append(r.all, what+": "+why.Error()) }

// TestUnreadLiveIsKept: a live file that cannot be read is kept beside the trace, and said to be there.
func TestUnreadLiveIsKept(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.bin")
	for n, want := range []string{trace + ".unread.live", trace + ".2.unread.live"} {
		dir := trace + Suffix
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint("of another version ", n)
		for suffix, b := range map[string]string{"": text, shared.UnsentSuffix: "unsent " + text} {
			if err := os.WriteFile(filepath.Join(dir, "7"+recorder.LiveSuffix+suffix), []byte(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var told remarks
		finishRecorders(&told, dir, trace, io.Discard)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if all := told.all; len(all) != 1 || !strings.HasPrefix(all[0], "the last calls of a program are missing: ") || !strings.HasSuffix(all[0], "; what it left is kept in "+want) {
			t.Errorf("%q", all)
		}
		for suffix, b := range map[string]string{"": text, shared.UnsentSuffix: "unsent " + text} {
			if got, err := os.ReadFile(want + suffix); err != nil || string(got) != b {
				t.Errorf("%s: %q, %v", want+suffix, got, err)
			}
		}
	}
}

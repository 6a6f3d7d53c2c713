package env

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestTexts: the texts about the state of a reader, the most interesting first.
func TestTexts(t *testing.T) {
	now := time.Unix(1000, 0)
	growing := func(ago time.Duration, rate float64) lazy.Status {
		return lazy.Status{Phase: lazy.PhaseFollowing, Growth: lazy.Growth{On: true, Grown: now.Add(-ago), Rate: rate}}
	}
	g := &screen.Unicode
	r := uitest.Recorded(t, "threads.stream")
	nothing := func(how lazy.Growth) string {
		s := Trace{Reader: r, Known: lazy.Status{Phase: lazy.PhaseFollowing, Growth: how}, path: "t.bin"}
		return s.Nothing("", now, g)
	}
	for _, c := range []struct{ got, want string }{
		{Index(lazy.Status{Phase: lazy.PhaseReady}, g), ""},
		{Index(lazy.Status{Phase: lazy.PhaseReady, Index: lazy.IndexStored}, g), ""},
		{Index(lazy.Status{Phase: lazy.PhaseReady, Index: lazy.IndexRebuilt}, g), ""},
		{Index(lazy.Status{Phase: lazy.PhaseReady, Index: lazy.IndexRebuilt, StoreReason: errors.New("x")}, g), "⚠ index not stored"},
		{Index(lazy.Status{Phase: lazy.PhaseRebuilding, Done: 1, Total: 4}, g), "rebuilding index 25 %"},
		{Memory{80, 100, 9}.text(false, g), ""},
		{Memory{81 << 20, 100 << 20, 0}.text(false, g), "memory 81 MiB of 100 MiB"},
		{Memory{200 << 20, 100 << 20, 0}.text(false, g), "memory 200 MiB of 100 MiB"},
		{Memory{1 << 19, 100 << 20, 0}.text(true, g), ""},
		{Memory{1 << 19, 100 << 20, 7}.text(true, g), "           512 KiB of 100 MiB · 7 unloaded"},
		{Memory{41 << 20, 256 << 20, 0}.text(true, g), "           41 of 256 MiB"},
		{Index(lazy.Status{Phase: lazy.PhaseFailed}, g), "⚠ failed"},
		{Phase(lazy.Status{Phase: lazy.PhaseUnpacking}, now, 80, g), "unpacking"},
		{Phase(lazy.Status{Phase: lazy.PhaseIndexing, Done: 4096, Total: 8192, Since: now.Add(-2 * time.Second)}, now, 80, g), "reading the index 50 % at 2.0 KiB/s, 2 s left"},
		{Phase(lazy.Status{Phase: lazy.PhaseIndexing, Done: 4096, Total: 8192, Since: now.Add(-2 * time.Second)}, now, 40, g), "reading the index 50 %"},
		{Growth(growing(time.Second, 2048), true, now, 80, g), "following · 2.0 KiB/s"},
		{Growth(growing(time.Second, 0), false, now, 80, g), "growing"},
		{Growth(growing(9*time.Second, 0), false, now, 80, g), "waiting for more · last growth 9 s ago"},
		{Growth(growing(9*time.Second, 0), false, now, 20, g), "waiting for more"},
		{nothing(lazy.Growth{}), "nothing recorded yet; new events will appear here; :quit quits"},
		{nothing(lazy.Growth{Behind: 3 << 19}), "1.5 MiB recorded; events appear here when the first block is complete; :quit quits"},
		{nothing(lazy.Growth{Wait: errors.New("no file")}), "waiting for t.bin: no file; :quit quits"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	cut := &format.Error{Offset: 4096, Err: format.ErrTruncated}
	s := Trace{Known: lazy.Status{Ended: "its program ended", Problem: cut, Unfinished: 2, IndexReason: errors.New("it is old"), TimesReason: errors.New("none")}}
	want := "its program ended|cut short at offset 4,096: no more can be read; 2 events unfinished|the stored index was not used, but rebuilt: it is old|no durations: none"
	if got := strings.Join(s.Troubles(g), "|"); got != want {
		t.Errorf("%q", got)
	}
}

// TestReason: the cause is named before the file.
func TestReason(t *testing.T) {
	err := fmt.Errorf("index not saved: %w", &fs.PathError{Op: "open", Path: "/far/away", Err: fs.ErrPermission})
	if got, want := reason(err), fs.ErrPermission.Error()+", open /far/away"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

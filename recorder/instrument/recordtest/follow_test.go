//go:build linux

package recordtest_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestFollow: while a program runs, all calls that it has made so far are in its trace, even those after
// a segment's end where the next chunk did not fit.
func TestFollow(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	c := tracex(t, "", nil, "record", "-o", trace, "--", recording, "varied", "200")
	in, answers := talkTo(t, c)
	for answers.Scan() && answers.Text() != "made" {
	}
	const calls = 20 * 200 * 199 / 2
	recorded := func() int {
		return strings.Count(runTracex(t, "", nil, "print", trace).stdout, "inner(")
	}
	for recorded() < calls {
	}
	if _, err := io.WriteString(in, "\n"); err != nil {
		t.Error(err)
	}
	for answers.Scan() {
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if n := recorded(); n != calls {
		t.Errorf("%d calls are recorded, expected %d", n, calls)
	}
}

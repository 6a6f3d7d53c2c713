//go:build linux

package cli

import (
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestLostHint: what no captured value has is told on standard error, with the nearest name that there is.
func TestLostHint(t *testing.T) {
	trace := formattest.Unpack(t, "allkinds.v27.dump.bin")
	const hint = "hint: no call has ret.dep; the nearest: ret.deep\n"
	for _, x := range []struct {
		args []string
		hint string
	}{
		{[]string{"find", trace, "ret.dep=1"}, hint},
		{[]string{"find", trace, "--json", "ret.dep=1"}, hint},
		{[]string{"calls", trace, "ret.dep=1"}, hint},
		{[]string{"calls", trace, "Res.r44", "--where", "ret.dep=1"}, hint},
		{[]string{"top", trace, "--where", "ret.dep=1"}, hint},
		{[]string{"log", trace, `ret.dep=1: "{ret}"`}, hint},
		{[]string{"find", trace, "ret.deep!=nil"}, ""},
		{[]string{"find", trace, "ret.deep=nil"}, ""},
	} {
		text, stderr, exit := runCommand(t, x.args...)
		if stderr != x.hint || exit != 0 || strings.Contains(text, "hint") {
			t.Errorf("%q: %d, %q, want %q", x.args[2:], exit, stderr, x.hint)
		}
	}
}

//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestTimesFoundWrongLate: if only one of many times belongs to another call, so that opening the trace does not
// notice, no command that meets it ends with success, and no table with wrong times is printed.
func TestTimesFoundWrongLate(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 100_000, Timed: true})
	index, cells := readFile(t, path+format.IndexSuffix), formattest.TimeCells(t, readFile(t, path+format.TimesSuffix))
	at, calls := int64(format.HeaderSize), 0
	for ; calls < 50_000; at += format.CellSize {
		if format.DecodeCell(index[at:]).Kind == format.KindTracePoint {
			calls++
		}
	}
	cells[(at-format.HeaderSize)/format.CellSize-1].ID ^= 0x7f
	if err := os.WriteFile(path+format.TimesSuffix, formattest.TimesOf(cells...), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args    []string
		printed bool
	}{
		"top":      {[]string{"top", path}, false},
		"find":     {[]string{"find", path, "dur>1ns"}, false},
		"calls":    {[]string{"calls", path, "--json", "dur>1ns"}, false},
		"overview": {[]string{"overview", path}, false},
		"print":    {[]string{"print", path, "--json"}, true},
		"export":   {[]string{"export", "jsonl", "-o", "-", path}, true},
	} {
		cmd, stderr, _ := command(t, c.args...)
		out, err := cmd.Output()
		if got := code(t, err); got != exitDamaged || !strings.Contains(stderr.String(), "the times do not fit the trace") ||
			!strings.Contains(stderr.String(), "hint: move it away") || (len(out) > 0) != c.printed {
			t.Errorf("%s: exit code %d, %d bytes printed, %s", name, got, len(out), stderr)
		}
	}
}

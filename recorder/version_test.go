package recorder

import (
	"strings"
	"testing"
)

// Versions that cannot be written are refused, with a list of those that can.
func TestFormatVersion(t *testing.T) {
	for _, version := range []int{-1, 19, 23, 28} {
		_, err := Start(Config{Path: t.TempDir() + "/trace.bin", FormatVersion: version})
		if err == nil || !strings.Contains(err.Error(), "27, 22") {
			t.Errorf("version %d: %v", version, err)
		}
	}
	for named, want := range map[string]int{"22": 22, "27": 27, "": newestVersion} {
		t.Setenv(FormatVariable, named)
		if got := start(t, Config{create: toDiscard}).layout.Version; int(got) != want {
			t.Errorf("%s=%s: version %d is written", FormatVariable, named, got)
		}
		if got := start(t, Config{create: toDiscard, FormatVersion: 22}).layout.Version; int(got) != 22 {
			t.Errorf("%s=%s: version %d is written, where the config wants 22", FormatVariable, named, got)
		}
	}
	for _, named := range []string{"19", "0", "newest"} {
		t.Setenv(FormatVariable, named)
		_, err := Start(Config{Path: t.TempDir() + "/trace.bin"})
		if err == nil || !strings.Contains(err.Error(), FormatVariable) {
			t.Errorf("%s=%s: %v", FormatVariable, named, err)
		}
	}
}

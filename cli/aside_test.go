//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// A new recording puts the trace before aside, with its files. One that records nothing, or cannot, moves nothing.
func TestRecordPutsAside(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, old := range map[string]string{"trace.bin": "trace.old.bin", "other": "other.old"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out, to := filepath.Join(dir, name), filepath.Join(dir, old)
			run := func(want int, says string, args ...string) {
				t.Helper()
				_, said, exit := runCommand(t, append([]string{"record", "-o", out, "--"}, args...)...)
				if exit != want || !strings.Contains(said, says) {
					t.Fatalf("exit code %d: %s", exit, said)
				}
			}
			read := func(path string) string {
				t.Helper()
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			run(3, "1,001 events", self, tracedArgument, "exit")
			if left := formattest.Names(t, dir); len(left) != 3 {
				t.Fatalf("there are %q", left)
			}
			for _, notes := range []string{"of the first", "of the second"} {
				if err := os.WriteFile(out+format.NotesSuffix, []byte(notes), 0o600); err != nil {
					t.Fatal(err)
				}
				data, times := read(out), read(out+format.TimesSuffix)
				run(1, "no trace written", self, "-test.run=^$")
				if read(out) != data {
					t.Error("a recording of nothing moved the trace")
				}
				run(3, "the trace that was there before is "+to, self, tracedArgument, "exit")
				if read(to) != data || read(to+format.TimesSuffix) != times || read(to+format.NotesSuffix) != notes {
					t.Error("the trace before is not what it was")
				}
				if read(out+format.TimesSuffix) == times || exists(out+format.NotesSuffix) {
					t.Error("files of the trace before are beside the new one")
				}
			}
			if left := formattest.Names(t, dir); len(left) != 7 {
				t.Errorf("there are %q", left)
			}
			if text, said, exit := runCommand(t, "print", to); exit != 0 || strings.Count(text, "inner(") != 1000 {
				t.Errorf("exit code %d: %s", exit, said)
			}

			for _, path := range []string{to, out} {
				before := read(path)
				if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
					t.Fatal(err)
				}
				run(exitUsage, path+" already exists and is no file of a trace", self, tracedArgument, "exit")
				if read(path) != "text" {
					t.Errorf("%s was replaced", path)
				}
				if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

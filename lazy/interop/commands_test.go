package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tracex/format/formattest"
)

// The commands that write traces write files that the real reader accepts, and print
// prints the same text.
func TestReferenceTakesCommands(t *testing.T) { eachReference(t, testTakesCommands) }

func testTakesCommands(t *testing.T, r *reference) {
	names := []string{r.release.recordedAs(t, "kotlin", "stream", ".bin"), r.release.recordedAs(t, "allkinds", "dump", ".bin")}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			data := formattest.Unpack(t, name)
			tell(t, "index", data)
			raw := r.eager(t, data, true)
			sameText(t, r.lazily(t, data, true), raw)
			sameText(t, tell(t, "print", "--raw", "--verbose", data), raw)
			sameText(t, tell(t, "print", data), r.printed(t, "print-lazy", data, false, "folded"))

			packed := data + ".packedtrace"
			tell(t, "pack", "--level", "9", "-o", packed, data)
			sameText(t, r.lazily(t, packed, true), raw)
			if err := os.Remove(data); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(data + ".idx"); err != nil {
				t.Fatal(err)
			}
			tell(t, "unpack", "-o", data, packed)
			sameText(t, r.lazily(t, data, true), raw)
		})
	}
}

// A trace with times, packed by the command, opens in the real reader, and unpacks
// with its times.
func TestReferenceTakesTimedCommands(t *testing.T) { eachReference(t, testTakesTimedCommands) }

func testTakesTimedCommands(t *testing.T, r *reference) {
	data := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 3000, Own: true, Timed: true,
		Options: formattest.Options{Version: r.release.version}})
	times, err := os.ReadFile(data + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	raw := r.lazily(t, data, true)
	for _, level := range []string{"0", "6", "9"} {
		packed := data + "." + level + ".packedtrace"
		tell(t, "pack", "--level", level, "-o", packed, data)
		a := r.ask(t, "open-packed", packed)
		accept(t, a)
		if a.Fields["packed"] != "true" {
			t.Errorf("level %s: packed %s", level, a.Fields["packed"])
		}
		sameText(t, r.lazily(t, packed, true), raw)
		sameText(t, r.eager(t, packed, true), raw)
		tell(t, "unpack", packed)
		got, err := os.ReadFile(data + "." + level + ".tim")
		if err != nil || string(got) != string(times) {
			t.Errorf("level %s: %d bytes of times come back as %d, %v", level, len(times), len(got), err)
		}
	}
}

// Packed traces that the command has converted to the other version, including diffs,
// open in its real reader, with all their information.
func TestReferenceTakesConvertedPacked(t *testing.T) { eachReference(t, testTakesConvertedPacked) }

func testTakesConvertedPacked(t *testing.T, r *reference) {
	diffs := 0
	for _, other := range releases {
		if other == r.release {
			continue
		}
		for _, name := range other.recorded(t, ".packedtrace") {
			t.Run(name, func(t *testing.T) {
				packed := filepath.Join(t.TempDir(), "made.packedtrace")
				tell(t, "convert", "--to", r.release.version.String(), "-o", packed, formattest.Unpack(t, name))
				a := r.ask(t, "open-packed", packed)
				accept(t, a)
				if a.Fields["packed"] != "true" {
					t.Errorf("packed %s", a.Fields["packed"])
				}
				if a.Fields["diff"] == "true" {
					diffs++
				}
				sameButDigits(t, tell(t, "print", "--raw", "--verbose", packed), r.printed(t, "print-tree", packed, true, "raw"))
				sameButDigits(t, tell(t, "print", packed), r.printed(t, "print-tree", packed, false, "folded"))
			})
		}
	}
	if diffs == 0 {
		t.Error("no diff among the packed traces")
	}
}

// theCommand builds tracex once for all tests, next to the drivers.
var theCommand = sync.OnceValues(func() (string, error) {
	program, err := filepath.Abs(filepath.Join(driverDir, "target", "tracex"))
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-o", program, "tracex").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

// tell runs tracex, which must succeed, and returns its standard output.
func tell(t *testing.T, args ...string) string {
	t.Helper()
	program, err := theCommand()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stderr = new(strings.Builder)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tracex %s: %v\n%s", strings.Join(args, " "), err, cmd.Stderr)
	}
	return string(out)
}

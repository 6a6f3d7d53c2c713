package interop

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// callsVariable holds the numbers of calls of the traces that BenchmarkReference
// takes, separated by commas. A million calls are 93 MB of data.
const callsVariable = "TRACEX_INTEROP_CALLS"

// BenchmarkReference does the same work on the same file with tracex and with
// Lincheck's own reader, in turns, each in a process of its own, and reports
// both and their ratios:
//
//	ours-ms, theirs-ms   time within the process; theirs without the JVM's start
//	times-faster         theirs / ours
//	ours-MB, theirs-MB   peak resident memory, mapped files included
//	ours-own-MB, ...     what of it is of no file: ours at its peak, theirs at the end
//	times-memory         theirs / ours, of what is of no file
//
// The JVM gets its default heap, a quarter of the machine's memory, and uses
// what it has: JAVA_TOOL_OPTIONS=-Xmx256m in the environment makes it careful.
func BenchmarkReference(b *testing.B) {
	needInterop(b)
	if memory("VmHWM:") < 0 {
		b.Skip("peak memory is measured on Linux alone")
	}
	if err := builtDriver(); err != nil {
		b.Fatal(err)
	}
	for _, calls := range benchmarkCalls(b) {
		data := formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: calls, Seed: 1})
		name := fmt.Sprintf("calls=%d", calls)
		warm(b, data, data+".idx")
		b.Run("open/"+name, func(b *testing.B) {
			compare(b, func() cost { return ours(b, "", "open", data) },
				func() cost { return theirs(b, []string{"ns"}, "open-lazy", data) })
		})
		b.Run("open-without-index/"+name, func(b *testing.B) {
			alone := filepath.Join(b.TempDir(), "trace.bin")
			if err := os.Symlink(data, alone); err != nil {
				b.Fatal(err)
			}
			compare(b, func() cost { return ours(b, "", "open", alone) },
				func() cost { return theirs(b, []string{"ns"}, "open-lazy", alone) })
		})
		// Their eager loader holds all of the trace, their lazy reader the
		// path to the point that is printed.
		b.Run("print/"+name, func(b *testing.B) {
			comparePrints(b, data, []string{"load-ns", "print-ns"}, "print-eager")
		})
		b.Run("print-lazily/"+name, func(b *testing.B) { comparePrints(b, data, []string{"ns"}, "print-lazy", "raw") })
	}
}

// comparePrints prints all points as recorded, with code locations, and checks
// that both sides print the same. command is the driver's, more its last
// arguments, times the fields of its answer that count.
func comparePrints(b *testing.B, data string, times []string, command string, more ...string) {
	dir := b.TempDir()
	our, their := filepath.Join(dir, "ours.txt"), filepath.Join(dir, "theirs.txt")
	compare(b, func() cost { return ours(b, our, "print", data) },
		func() cost { return theirs(b, times, append([]string{command, data, their, "verbose"}, more...)...) })
	ourSum, ourSize := fileSum(b, our)
	theirSum, theirSize := fileSum(b, their)
	if ourSum != theirSum {
		b.Errorf("the texts differ: ours has %d bytes, theirs %d", ourSize, theirSize)
	}
	b.ReportMetric(float64(theirSize)/1e6, "text-MB")
}

// compare runs both sides in turns and reports.
func compare(b *testing.B, ours, theirs func() cost) {
	var o, t cost
	for b.Loop() {
		o.add(ours())
		t.add(theirs())
	}
	n := float64(b.N)
	b.ReportMetric(0, "ns/op") // of both together: says nothing
	b.ReportMetric(o.seconds*1e3/n, "ours-ms")
	b.ReportMetric(t.seconds*1e3/n, "theirs-ms")
	b.ReportMetric(t.seconds/o.seconds, "times-faster")
	b.ReportMetric(o.peakBytes/1e6, "ours-MB")
	b.ReportMetric(t.peakBytes/1e6, "theirs-MB")
	b.ReportMetric(o.ownBytes/1e6, "ours-own-MB")
	b.ReportMetric(t.ownBytes/1e6, "theirs-own-MB")
	b.ReportMetric(t.ownBytes/o.ownBytes, "times-memory")
}

func benchmarkCalls(b *testing.B) []int {
	list := os.Getenv(callsVariable)
	if list == "" {
		list = "1000000"
	}
	var calls []int
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n <= 0 {
			b.Fatalf("%s=%s: numbers of calls expected", callsVariable, list)
		}
		calls = append(calls, n)
	}
	return calls
}

// warm reads files once, so that both sides find them in the page cache.
func warm(b *testing.B, paths ...string) {
	b.Helper()
	for _, path := range paths {
		fileSum(b, path)
	}
}

func fileSum(b *testing.B, path string) (sum [sha256.Size]byte, size int64) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		b.Fatal(err)
	}
	return [sha256.Size]byte(h.Sum(nil)), size
}

package interop

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// callsVariable has the numbers of calls in the traces of BenchmarkReference,
// separated by commas. A million calls are 93 MB of data.
const callsVariable = "TRACEX_INTEROP_CALLS"

// versionsVariable has the versions of their files, separated by commas; only the
// newest if it is not set.
const versionsVariable = "TRACEX_INTEROP_VERSIONS"

// BenchmarkReference does the same work on the same file with tracex and with
// the release of Lincheck that reads its version, alternately, each in a process of
// its own, and reports both and their ratios:
//
//	ours-ms, theirs-ms   time within the process; theirs without the JVM's start
//	times-faster         theirs / ours
//	ours-MB, theirs-MB   peak resident memory, mapped files included
//	ours-own-MB, ...     memory that belongs to no file: ours at its peak, theirs at the end
//	times-memory         theirs / ours, for memory that belongs to no file
//
// The JVM gets its default heap, a quarter of the machine's memory, and uses
// all of it: JAVA_TOOL_OPTIONS=-Xmx256m in the environment limits it.
func BenchmarkReference(b *testing.B) {
	needInterop(b)
	if memory("VmHWM:") < 0 {
		b.Skip("peak memory is measured on Linux alone")
	}
	for _, l := range benchmarkReleases(b) {
		if err := l.built(); err != nil {
			b.Fatal(err)
		}
		for _, calls := range benchmarkCalls(b) {
			name := fmt.Sprintf("%s/calls=%d", l, calls)
			data := formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: calls, Seed: 1, Options: formattest.Options{Version: l.version}})
			benchmarkReader(b, name, l, data)
		}
	}
}

// benchmarkReader compares tracex with one release on one trace.
func benchmarkReader(b *testing.B, name string, l *release, data string) {
	warm(b, data, data+".idx")
	b.Run("open/"+name, func(b *testing.B) {
		compare(b, func() cost { return ours(b, "", "open", data) },
			func() cost { return theirs(b, l, []string{"ns"}, "open-lazy", data) })
	})
	b.Run("open-without-index/"+name, func(b *testing.B) {
		alone := filepath.Join(b.TempDir(), "trace.bin")
		if err := os.Symlink(data, alone); err != nil {
			b.Fatal(err)
		}
		compare(b, func() cost { return ours(b, "", "open", alone) },
			func() cost { return theirs(b, l, []string{"ns"}, "open-lazy", alone) })
	})
	// Their eager loader keeps the whole trace in memory, their lazy reader the path to
	// the point being printed.
	b.Run("print/"+name, func(b *testing.B) {
		same(b, comparePrints(b, l, data, "print", []string{"load-ns", "print-ns"}, "print-eager"))
	})
	b.Run("print-lazily/raw/"+name, func(b *testing.B) {
		same(b, comparePrints(b, l, data, "print", []string{"ns"}, "print-lazy", "raw"))
	})
	// Their printer repeats points where children fold away: theirs-text-MB over
	// text-MB is how much that adds to their time. To check that our text is right, the
	// driver has another printer around the same reader.
	b.Run("print-lazily/folded/"+name, func(b *testing.B) {
		texts := comparePrints(b, l, data, "print-folded", []string{"ns"}, "print-lazy", "folded")
		theirs(b, l, nil, "print-tree", data, texts.theirs, "verbose", "folded")
		same(b, texts)
	})
}

// printed are the files with the texts that both sides printed.
type printed struct{ ours, theirs string }

// comparePrints prints with code locations. op is our operation, command that of the
// driver, more its last arguments, times the fields of its answer to add up.
func comparePrints(b *testing.B, l *release, data, op string, times []string, command string, more ...string) printed {
	dir := b.TempDir()
	p := printed{ours: filepath.Join(dir, "ours.txt"), theirs: filepath.Join(dir, "theirs.txt")}
	compare(b, func() cost { return ours(b, p.ours, op, data) },
		func() cost {
			return theirs(b, l, times, append([]string{command, data, p.theirs, "verbose"}, more...)...)
		})
	for metric, path := range map[string]string{"text-MB": p.ours, "theirs-text-MB": p.theirs} {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/1e6, metric)
	}
	return p
}

// same fails the benchmark unless both sides printed the same text.
func same(b *testing.B, texts printed) {
	b.Helper()
	ourSum, ourSize := fileSum(b, texts.ours)
	theirSum, theirSize := fileSum(b, texts.theirs)
	if ourSum != theirSum {
		b.Errorf("the texts differ: ours has %d bytes, theirs %d", ourSize, theirSize)
	}
}

// compare runs both sides alternately and reports.
func compare(b *testing.B, ours, theirs func() cost) {
	var o, t cost
	for b.Loop() {
		o.add(ours())
		t.add(theirs())
	}
	n := float64(b.N)
	b.ReportMetric(0, "ns/op") // hide the sum of both, which is meaningless
	b.ReportMetric(o.seconds*1e3/n, "ours-ms")
	b.ReportMetric(t.seconds*1e3/n, "theirs-ms")
	b.ReportMetric(t.seconds/o.seconds, "times-faster")
	b.ReportMetric(o.peakBytes/1e6, "ours-MB")
	b.ReportMetric(t.peakBytes/1e6, "theirs-MB")
	b.ReportMetric(o.ownBytes/1e6, "ours-own-MB")
	b.ReportMetric(t.ownBytes/1e6, "theirs-own-MB")
	b.ReportMetric(t.ownBytes/o.ownBytes, "times-memory")
}

func benchmarkCalls(b *testing.B) []int { return listed(b, callsVariable, 1_000_000) }

func benchmarkReleases(b *testing.B) []*release {
	var chosen []*release
	for _, version := range listed(b, versionsVariable, int(format.Newest)) {
		at := slices.IndexFunc(releases, func(l *release) bool { return l.version == format.Version(version) })
		if at < 0 {
			b.Fatalf("%s: no release reads version %d", versionsVariable, version)
		}
		chosen = append(chosen, releases[at])
	}
	return chosen
}

// listed returns the numbers in an environment variable, or unset if that is empty.
func listed(b *testing.B, variable string, unset int) []int {
	list := os.Getenv(variable)
	if list == "" {
		return []int{unset}
	}
	var numbers []int
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n <= 0 {
			b.Fatalf("%s=%s: numbers above zero expected", variable, list)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// warm reads files once, to put them into the page cache for both sides.
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

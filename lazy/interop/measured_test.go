package interop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tracex/lazy"
)

// measuredName is the name under which the test binary does one piece of work
// and reports its cost: each measurement has a process of its own, as it has
// for Lincheck's reader.
const measuredName = "tracex-measured"

// measured is the main function of that process: its arguments are an
// operation and a trace. It answers as the driver does, on standard error;
// standard output is for printed text.
func measured() {
	own := sampleOwn()
	start := time.Now()
	var err error
	switch op, path := os.Args[1], os.Args[2]; op {
	case "open":
		err = measuredOpen(path)
	case "print":
		err = measuredPrint(path, false)
	case "print-folded":
		err = measuredPrint(path, true)
	default:
		err = fmt.Errorf("no operation %s", op)
	}
	took := time.Since(start)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error\tclass=tracex\tmessage=%v\n", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "ok\tns=%d\tpeak-bytes=%d\town-bytes=%d\n", took.Nanoseconds(), memory("VmHWM:"), own())
}

// sampleOwn samples the resident memory that belongs to no file. The function that
// it returns gives the peak.
func sampleOwn() (most func() int64) {
	var mu sync.Mutex
	var seen int64
	look := func() int64 {
		mu.Lock()
		defer mu.Unlock()
		seen = max(seen, memory("RssAnon:"))
		return seen
	}
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			look()
		}
	}()
	return look
}

// measuredOpen opens a trace and waits until it is completely known: the pass over
// the index, or the rebuild if there is none.
func measuredOpen(path string) error {
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Wait(context.Background()); err != nil {
		return err
	}
	if s := r.Status(); s.Phase != lazy.PhaseReady || s.Problem != nil {
		return fmt.Errorf("phase %d, %v", s.Phase, s.Problem)
	}
	if len(r.Tree(true).Threads()) == 0 {
		return fmt.Errorf("%s has no threads", path)
	}
	return nil
}

// measuredPrint prints a trace to standard output, as recorded or folded, with
// code locations, as the command does.
func measuredPrint(path string, folded bool) error {
	r, err := lazy.Open(path, lazy.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Wait(context.Background()); err != nil {
		return err
	}
	return r.Print(context.Background(), os.Stdout, lazy.PrintOptions{Verbose: true, Folded: folded}, lazy.PrintRange{})
}

// memory returns a field of this process's status in Linux, in bytes:
// VmHWM is the peak of its resident memory, including mapped files,
// RssAnon the resident memory that belongs to no file now. It returns -1 on other
// systems.
func memory(field string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return -1
}

// cost is the cost of a piece of work.
type cost struct{ seconds, peakBytes, ownBytes float64 }

func (c *cost) add(o cost) {
	c.seconds += o.seconds
	c.peakBytes = max(c.peakBytes, o.peakBytes)
	c.ownBytes = max(c.ownBytes, o.ownBytes)
}

// ours measures tracex in a process of its own. Its output goes to the file out, unless
// that is "".
func ours(b *testing.B, out, op, path string) cost {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(b.TempDir(), measuredName)
	if err := os.Symlink(self, name); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(name, op, path)
	if out != "" {
		f, err := os.Create(out)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		cmd.Stdout = f
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s %s: %v\n%s", op, path, err, said.String())
	}
	return costOf(b, parseAnswer(b, said.String()), "ns")
}

// theirs measures the reader of a release of Lincheck in a process of its own. It does
// not count the start of the JVM. times are the fields to add up.
func theirs(b *testing.B, l *release, times []string, args ...string) cost {
	b.Helper()
	cmd, err := l.command(args...)
	if err != nil {
		b.Fatal(err)
	}
	line, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	a := parseAnswer(b, string(line))
	if strings.HasPrefix(a.Failed, "java.lang.OutOfMemoryError") {
		b.Skipf("Lincheck's reader: %s; JAVA_TOOL_OPTIONS=-Xmx20g in the environment would give it more", a.Failed)
	}
	if a.Failed != "" {
		b.Fatalf("Lincheck's reader: %s", a.Failed)
	}
	return costOf(b, a, times...)
}

func costOf(b *testing.B, a answer, times ...string) cost {
	b.Helper()
	number := func(field string) float64 {
		n, err := strconv.ParseInt(a.Fields[field], 10, 64)
		if err != nil || n <= 0 {
			b.Fatalf("%s is %q", field, a.Fields[field])
		}
		return float64(n)
	}
	c := cost{peakBytes: number("peak-bytes"), ownBytes: number("own-bytes")}
	for _, t := range times {
		c.seconds += number(t) / 1e9
	}
	return c
}

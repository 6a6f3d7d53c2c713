//go:build linux

package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder/recordertest"
)

// crashesArgument, as its first argument, makes the test binary a program that records until it
// crashes. The second argument tells how, with which seed, and where to report its work.
const crashesArgument = "crashes"

// recordCrashesVariable sets how many programs crash in each way; the default is three.
const recordCrashesVariable = "TRACEX_CRASHES"

func init() {
	if len(os.Args) != 3 || os.Args[1] != crashesArgument {
		return
	}
	words := strings.SplitN(os.Args[2], " ", 3)
	seed, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil {
		panic(err)
	}
	recordertest.Crash(words[0], words[2], seed)
}

// Everything that a program recorded before it crashed is in the trace that record leaves: the
// contents of the shared memory, and the data that the program had not sent.
func TestRecordCrashed(t *testing.T) {
	times := 3
	if s := os.Getenv(recordCrashesVariable); s != "" {
		var err error
		if times, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		times = 1
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for how := range recordertest.Crashes {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			for range times {
				recordCrash(t, self, how, rand.Uint64())
			}
		})
	}
}

func recordCrash(t *testing.T, self, how string, seed uint64) {
	dir := t.TempDir()
	out, instead := filepath.Join(dir, "trace.bin"), filepath.Join(dir, "instead.bin")
	said, err := recordertest.Tell(instead + ".told")
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd, stderr, tmp := command(t, "record", "-o", out, "--", self, crashesArgument, fmt.Sprintf("%s %d %s", how, seed, instead))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if how == "kill" {
		if err := said.Await(1, 1+rand.Int64N(1+rand.Int64N(40_000)), ended); err != nil {
			t.Fatalf("%v, %s", err, stderr)
		}
		if err := syscall.Kill(int(said.PID().Load()), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	what := fmt.Sprintf("%s with the seed %d", how, seed)
	if err := <-ended; err == nil {
		t.Fatalf("%s: the program ended well", what)
	}
	if left := formattest.Names(t, tmp); len(left) > 0 {
		t.Errorf("temporary files stay: %q", left)
	}
	if _, err := os.Stat(instead); err == nil {
		t.Skipf("the service did not answer in time, and the program recorded without it: %s", stderr)
	}
	checkReturned(t, what, out, said, said.Now(), stderr.String())
}

// checkReturned checks that a trace has each call that had returned in a program that crashed, of each goroutine
// so many at least.
func checkReturned(t *testing.T, what, out string, said *recordertest.Told, least [recordertest.Crashers]int64, stderr string) {
	t.Helper()
	f, err := os.Open(out)
	if err != nil {
		t.Fatalf("%s: %v, %s", what, err, stderr)
	}
	defer f.Close()
	forest, err := eager.Load(f)
	if err != nil || forest.Problem != nil {
		t.Fatalf("%s: %v, %v", what, err, forest.Problem)
	}
	if _, err := lazy.VerifyIndex(t.Context(), out, "", nil); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var returned [recordertest.Crashers]map[int64]bool
	for g := range returned {
		returned[g] = map[int64]bool{}
	}
	for _, thread := range forest.Threads {
		for root := range thread.Roots() {
			countReturned(t, root, func(worker, call int64) {
				if returned[worker][call] {
					t.Fatalf("%s: call %d of worker %d is there twice", what, call, worker)
				}
				returned[worker][call] = true
			})
		}
	}
	for g := range returned {
		want, got := said.Calls(g).Load(), int64(len(returned[g]))
		if got < least[g] || got > want+1 { // it may not have had time to report the last one
			t.Fatalf("%s: of worker %d, %d calls had returned, the trace has %d: %s", what, g, want, got, stderr)
		}
	}
}

// countReturned calls f for each call that returned the expected value.
func countReturned(t *testing.T, n eager.Node, f func(worker, call int64)) {
	t.Helper()
	var p format.Point
	var footer format.Footer
	if err := n.Point(&p); err != nil {
		t.Fatal(err)
	}
	if p.Class == format.ClassCall {
		if err := n.Footer(&footer); err != nil {
			t.Fatal(err)
		}
		if k := footer.Result.Kind; k == format.ValueInt || k == format.ValueLong {
			if footer.Result.Bits != p.Args[1].Bits {
				t.Fatalf("call %d returned %d", p.Args[1].Bits, footer.Result.Bits)
			}
			f(p.Args[0].Bits, p.Args[1].Bits)
		}
	}
	for child := range n.Children() {
		countReturned(t, child, f)
	}
}

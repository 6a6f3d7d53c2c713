package recorder_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/recordertest"
)

// crashVariable makes the test binary a program that crashes: it has the way to crash, the file
// to record into, and a seed.
const crashVariable = "TRACEX_RECORDER_CRASH"

// Everything that a program recorded before it crashed is in its trace: each call that had
// returned, with its result. Others that were under way may be in it.
func TestCrashed(t *testing.T) { versiontest.EachVersion(t, testCrashed) }

func testCrashed(t *testing.T) {
	times := 3
	if s := os.Getenv(killsVariable); s != "" {
		var err error
		if times, err = strconv.Atoi(s); err != nil {
			t.Fatalf("%s: %v", killsVariable, err)
		}
	} else if !formattest.Exhaustive() {
		times = 1
	}
	for how := range recordertest.Crashes {
		t.Run(how, func(t *testing.T) {
			for range times {
				crashOnce(t, how, rand.Uint64())
			}
		})
	}
}

func crashOnce(t *testing.T, how string, seed uint64) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", crashVariable, how, seed, path))
	said, err := recordertest.Tell(path + ".told")
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if how == "kill" {
		if err := said.Await(1, 1+rand.Int64N(1+rand.Int64N(40_000)), ended); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; err == nil {
		t.Fatal("the program ended well")
	}
	if done, err := recorder.Finish(path); err != nil || done.Short != 0 {
		t.Fatalf("%s with the seed %d: %+v, %v", how, seed, done, err)
	}
	if _, err := os.Stat(path + recorder.LiveSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the live file: %v", err)
	}
	checkCrashed(t, path, said, fmt.Sprintf("%s with the seed %d", how, seed))
	os.RemoveAll(filepath.Dir(path))
}

func checkCrashed(t *testing.T, path string, said *recordertest.Told, what string) {
	t.Helper()
	forest := tracetest.LoadDamaged(t, path)
	if forest.Problem != nil {
		t.Fatalf("%s: %v", what, forest.Problem)
	}
	if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if _, err := os.Stat(path + ".tim"); err == nil {
		tracetest.CheckTimes(t, path, true)
	}
	var returned [recordertest.Crashers]map[int64]bool
	for g := range returned {
		returned[g] = map[int64]bool{}
	}
	for _, thread := range forest.Threads {
		g, err := strconv.Atoi(strings.TrimPrefix(thread.Name, "worker "))
		if err != nil {
			t.Fatalf("%s: a thread is named %q", what, thread.Name)
		}
		crashedCalls(t, thread, func(p *format.Point, f *format.Footer) {
			if i := p.Args[1].Bits; f.Result.Kind == format.ValueLong || f.Result.Kind == format.ValueInt {
				if f.Result.Bits != i || p.Args[0].Bits != int64(g) || returned[g][i] {
					t.Fatalf("%s: call %d of worker %d returned %d, or is there twice", what, i, p.Args[0].Bits, f.Result.Bits)
				}
				returned[g][i] = true
			}
		})
	}
	for g := range returned {
		if testing.Verbose() {
			t.Logf("%s worker %d: %d", what, g, said.Calls(g).Load())
		}
		want, got := said.Calls(g).Load(), int64(len(returned[g]))
		if got != want && got != want+1 { // it may not have had the time to report the last one
			t.Fatalf("%s: of worker %d, %d calls had returned, the trace has %d", what, g, want, got)
		}
	}
}

// crashedCalls calls f for each call of a thread.
func crashedCalls(t *testing.T, thread *eager.Thread, f func(p *format.Point, footer *format.Footer)) {
	t.Helper()
	var p format.Point
	var footer format.Footer
	var visit func(n eager.Node)
	visit = func(n eager.Node) {
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
		}
		if p.Class == format.ClassCall {
			if err := n.Footer(&footer); err != nil {
				t.Fatal(err)
			}
			f(&p, &footer)
		}
		for child := range n.Children() {
			visit(child)
		}
	}
	for root := range thread.Roots() {
		visit(root)
	}
}

// crashArguments returns the arguments of Crash, if this is a program that crashes.
func crashArguments() (how, path string, seed uint64, ok bool) {
	words := strings.SplitN(os.Getenv(crashVariable), " ", 3)
	if len(words) < 3 {
		return "", "", 0, false
	}
	seed, err := strconv.ParseUint(words[1], 10, 64)
	return words[0], words[2], seed, err == nil
}

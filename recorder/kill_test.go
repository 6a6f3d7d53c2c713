package recorder_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// victimVariable makes the test binary record into the file it names until it is killed.
const victimVariable = "TRACEX_RECORDER_VICTIM"

// killsVariable overrides how many programs are killed for each version, by default 10, or 3 if the tests are not exhaustive.
const killsVariable = "TRACEX_KILLS"

// victim records calls whose argument counts up, on some goroutines. After each flush it prints
// how many calls each goroutine had begun before it.
func victim(path string) {
	r, err := recorder.Start(recorder.Config{Path: path, BlockSize: 8 << 10, FlushInterval: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	class := r.Class("Victim")
	said := make(chan struct{}, 1)
	for g := 1; g <= victims; g++ {
		go func() {
			t := r.Thread(fmt.Sprint("worker ", g))
			for i := 0; ; i++ {
				t.Enter(r.Method(class, fmt.Sprint("method", i/1000), recorder.Type{}), 0, recorder.Null(), recorder.Int(g), recorder.Int(i))
				if i%3 != 0 { // every third stays open for a while
					t.Exit(recorder.Void())
				}
				if i%300 == 0 {
					for range 100 {
						t.Exit(recorder.Int(i))
					}
				}
				if i%500 != 499 {
					continue
				}
				said <- struct{}{}
				if _, err := r.Flush(); err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
				fmt.Println(g, i+1)
				<-said
			}
		}()
	}
	select {}
}

const victims = 3

// A program that is killed at any moment leaves a trace that opens and has each call that was
// flushed.
func TestKilled(t *testing.T) { versiontest.EachVersion(t, testKilled) }

func testKilled(t *testing.T) {
	kills := 10
	if s := os.Getenv(killsVariable); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatalf("%s: %v", killsVariable, err)
		}
	} else if !formattest.Exhaustive() {
		kills = 3
	}
	for i := range kills {
		path := filepath.Join(t.TempDir(), "trace.bin")
		flushed := kill(t, path, time.Duration(rand.IntN(30_000))*time.Microsecond)
		forest := tracetest.LoadDamaged(t, path)
		if forest.Problem == nil {
			t.Fatalf("kill %d: the trace has its end", i)
		}
		begun := make(map[int]int)
		for _, thread := range forest.Threads {
			worker, calls := counted(t, thread)
			begun[worker] = calls
			if name := fmt.Sprint("worker ", worker); thread.Name != name {
				t.Fatalf("kill %d: the thread of %s is named %q", i, name, thread.Name)
			}
		}
		for g, n := range flushed {
			if begun[g] < n {
				t.Fatalf("kill %d: of worker %d, %d calls can be read, %d were flushed", i, g, begun[g], n)
			}
		}
		tracetest.CheckTimes(t, path, false)
		tracetest.SameText(t, path, forest, lazy.PrintOptions{Verbose: true})
	}
}

// kill starts a victim, and kills it after it has flushed something and a delay has passed. It
// returns how many calls each worker had flushed.
func kill(t *testing.T, path string, delay time.Duration) map[int]int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	flushed := make(map[int]int)
	var timer *time.Timer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var worker, calls int
		if _, err := fmt.Sscan(lines.Text(), &worker, &calls); err != nil {
			t.Fatalf("the victim says %q", lines.Text())
		}
		flushed[worker] = calls
		if timer == nil {
			timer = time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || timer == nil {
		t.Fatal("the victim ended by itself")
	}
	return flushed
}

// counted returns which worker a thread is and how many calls it has. They must count up from 0
// without a gap.
func counted(t *testing.T, thread *eager.Thread) (worker, calls int) {
	t.Helper()
	var visit func(n eager.Node)
	var p format.Point
	visit = func(n eager.Node) {
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
		}
		if p.Args[1].Bits != int64(calls) {
			t.Fatalf("call %d has the number %d", calls, p.Args[1].Bits)
		}
		worker = int(p.Args[0].Bits)
		calls++
		for child := range n.Children() {
			visit(child)
		}
	}
	for root := range thread.Roots() {
		visit(root)
	}
	return worker, calls
}

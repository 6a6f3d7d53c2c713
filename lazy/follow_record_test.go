package lazy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder"
)

// program is a recorded program that runs on a test's goroutine, with several threads,
// and its actions, independent of the recorder.
type program struct {
	rec     *recorder.Recorder
	class   recorder.Class
	methods []recorder.Method
	threads []*programThread
	calls   int
}

type programThread struct {
	t    *recorder.Thread
	done []string // a line for each call, indented
	open []int    // calls that have not ended, as indexes in done
}

func startProgram(t *testing.T, c recorder.Config, threads int) *program {
	t.Helper()
	if c.Strategy == recorder.Automatic {
		c.Strategy = recorder.Streaming // ignore the environment
	}
	rec, err := recorder.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Stop() })
	p := &program{rec: rec, class: rec.Class("app.Main")}
	for i := range threads {
		p.threads = append(p.threads, &programThread{t: rec.Thread(fmt.Sprint("worker ", i))})
	}
	return p
}

// run makes n calls and returns in random threads.
func (p *program) run(n int, rng *rand.Rand) {
	for range n {
		th := p.threads[rng.IntN(len(p.threads))]
		if depth := len(th.open); depth > 0 && rng.IntN(6) < min(depth, 5) {
			p.leave(th)
			continue
		}
		if len(p.methods) == 0 || rng.IntN(10) == 0 {
			p.methods = append(p.methods, p.rec.Method(p.class, fmt.Sprint("f", len(p.methods)), recorder.Type{}))
		}
		f := rng.IntN(len(p.methods))
		th.t.Enter(p.methods[f], 0, recorder.Null(), recorder.Int(p.calls))
		th.open = append(th.open, len(th.done))
		th.done = append(th.done, fmt.Sprintf("%*sMain.f%d(%d)", 2*len(th.open), "", f, p.calls))
		p.calls++
	}
}

func (p *program) leave(th *programThread) {
	last := len(th.open) - 1
	th.t.Exit(recorder.Int(th.open[last]))
	th.done[th.open[last]] += fmt.Sprint(": ", th.open[last])
	th.open = th.open[:last]
}

// end returns from all calls, and ends the threads.
func (p *program) end() {
	for _, th := range p.threads {
		for len(th.open) > 0 {
			p.leave(th)
		}
		th.t.End()
	}
}

// text returns the actions of the program.
func (p *program) text() string {
	var b strings.Builder
	for i, th := range p.threads {
		if len(th.done) > 0 {
			fmt.Fprintf(&b, "Thread %d\n%s\n", i+1, strings.Join(th.done, "\n"))
		}
	}
	return b.String()
}

// shownText returns the text of such a program in a tree; a call that has not ended
// has no result.
func shownText(tree *Tree, nodes []*Node) string {
	var b strings.Builder
	for _, n := range nodes {
		if n.IsThread() {
			fmt.Fprintf(&b, "Thread %d\n", n.Thread()+1)
			continue
		}
		text := string(tree.AppendText(nil, n, false))
		text = "Main." + strings.TrimPrefix(strings.TrimSuffix(text, ": <unfinished method>"), "Main.")
		fmt.Fprintf(&b, "%*s%s\n", 2*n.Depth(), "", text)
	}
	return b.String()
}

// TestFollowRecording reads a program's trace while the recorder writes it: after
// each flush it shows exactly what the program has done.
func TestFollowRecording(t *testing.T) {
	rounds, steps := 40, 60
	if formattest.Race {
		rounds = 12
	}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 1))
		path := filepath.Join(t.TempDir(), "trace.bin")
		r := followed(t, path, Options{})
		c := recorder.Config{Path: path, FlushInterval: -1, BlockSize: 4 << 10}
		p := startProgram(t, c, 1+int(seed)*2)
		trees := []*Tree{r.Tree(false), r.Tree(true)}
		for range rounds {
			p.run(rng.IntN(steps), rng)
			if _, err := p.rec.Flush(); err != nil {
				t.Fatal(err)
			}
			if st := catchUp(t, r); st.Phase != PhaseFollowing || st.Growth.Wait != nil {
				t.Fatalf("status %+v", st)
			}
			for _, tree := range trees {
				tree.Refresh()
				formattest.SameText(t, []byte(shownText(tree, walkAll(t, tree, rng))), []byte(p.text()))
			}
		}
		p.end()
		if err := p.rec.Stop(); err != nil {
			t.Fatal(err)
		}
		st := catchUp(t, r)
		if st.Phase != PhaseReady || st.Index != IndexRecorded || st.IndexReason != nil || st.Growth.On || st.Epoch != 0 {
			t.Fatalf("status %+v", st)
		}
		for _, tree := range trees {
			tree.Refresh()
			formattest.SameText(t, []byte(shownText(tree, walkAll(t, tree, rng))), []byte(p.text()))
			formattest.SameText(t, []byte(treeText(t, tree, ways(t, tree)["all"])), []byte(eagerText(t, path, tree.Folded())))
		}
		if _, ok := r.Times(); !ok && st.TimesReason != nil {
			t.Errorf("the times: %v", st.TimesReason)
		}
	}
}

// TestFollowCrashed: the part that a program had flushed when it was killed is shown,
// and any reader shows the same afterward.
func TestFollowCrashed(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	dir := t.TempDir()
	p := startProgram(t, recorder.Config{Path: filepath.Join(dir, "trace.bin"), FlushInterval: -1}, 3)
	p.run(500, rng)
	if _, err := p.rec.Flush(); err != nil {
		t.Fatal(err)
	}
	// The file at that moment, with half of the next write.
	data, err := os.ReadFile(filepath.Join(dir, "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	want := p.text()
	p.run(200, rng)
	if _, err := p.rec.Flush(); err != nil {
		t.Fatal(err)
	}
	more, err := os.ReadFile(filepath.Join(dir, "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "killed.bin")
	put(t, path, more[:len(data)+20])
	if !bytes.HasPrefix(more, data) || len(more) < len(data)+40 {
		t.Fatal("the recorder does not just add to its file")
	}
	r := followed(t, path, Options{NoWrite: true})
	catchUp(t, r)
	tree := r.Tree(false)
	formattest.SameText(t, []byte(shownText(tree, walkAll(t, tree, rng))), []byte(want))
	r.Unfollow()
	waitFor(t, r, func(st Status) bool { return st.Phase == PhaseReady })
	tree = r.Tree(false)
	formattest.SameText(t, []byte(treeText(t, tree, ways(t, tree)["all"])), []byte(eagerText(t, path, false)))
}

package lazy

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// BenchmarkWalk walks a trace from end to end like a person who expands every call,
// looks at all its rows, and forgets it afterward. It reports the peak resident
// memory, excluding mapped files.
func BenchmarkWalk(b *testing.B) {
	eachSize(b, func(b *testing.B, path string) {
		for b.Loop() {
			r := open(b, path, Options{})
			r.Wait(context.Background())
			runtime.GC()
			began := time.Now()
			w := &bigWalk{b: b, tree: r.Tree(true)}
			for _, n := range w.tree.Threads() {
				w.through(n)
			}
			b.ReportMetric(float64(w.peak)/(1<<20), "peak-MiB")
			b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(w.seen), "ns/row")
			b.ReportMetric(float64(w.seen), "rows")
			r.Close()
		}
	})
}

type bigWalk struct {
	b    *testing.B
	tree *Tree
	seen int64
	peak int64
	text []byte
}

// through visits everything below n. It recurses: the traces of benchmarks are not
// deep.
func (w *bigWalk) through(n *Node) {
	w.tree.Expand(n)
	for row, ok := w.tree.FirstChild(n); ok; {
		if row.Gap() {
			if err := w.tree.Load(context.Background(), row, AtStart); err != nil {
				w.b.Fatal(err)
			}
			at := row
			if row = w.tree.Resolve(at); row.Parent != n || row.From < at.From {
				break // nothing was in the gap
			}
			continue
		}
		w.seen++
		if w.seen%64 == 0 {
			w.tree.Rows(row, 40)
		}
		w.text = w.tree.AppendText(w.text[:0], row.Node, true)
		if !row.Node.Leaf() {
			w.through(row.Node)
		}
		row, ok = w.tree.NextSibling(row)
	}
	w.tree.Forget(n)
	if w.seen%1000 < 3 {
		w.peak = max(w.peak, anonymous(w.b))
	}
}

// anonymous returns the size of resident memory that belongs to no file, in bytes.
func anonymous(b *testing.B) int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		b.Skip("the memory of a process is read from /proc, which is not here")
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "RssAnon:"); ok {
			var kib int64
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				return kib << 10
			}
		}
	}
	b.Skip("no RssAnon in /proc/self/status")
	return 0
}

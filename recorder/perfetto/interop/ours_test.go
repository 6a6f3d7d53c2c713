package interop

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/producer"
)

// oursName is the name under which the test binary is a program that writes with our
// producer the same events that the Rust program's bench.rs writes with the library.
const oursName = "tracex-interop-ours"

// startOurs starts that program.
func (s *service) startOurs() *program {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	path := filepath.Join(s.t.TempDir(), oursName)
	if err := os.Symlink(self, path); err != nil {
		s.t.Fatal(err)
	}
	return s.startProgram(path, "producer")
}

// writeOurs is the main function of that process. It answers commands as the Rust
// program does.
func writeOurs() {
	if err := answerLines(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answerLines() error {
	p, err := producer.Start(producer.Options{Name: oursName})
	if err != nil {
		return err
	}
	events, err := p.Events(producer.EventsOptions{
		Categories: []producer.Category{{Name: "work"}}, Policy: smb.Stall,
	})
	if err != nil {
		return err
	}
	w := &ours{
		events: events, pair: events.Name("work", "pair"),
		number: events.Key("number"), text: events.Key("text"),
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Split(lines.Text(), "\t")
		if len(words) != 4 || words[0] != "bench" {
			return fmt.Errorf("no command %q", words)
		}
		threads, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		count, err := strconv.Atoi(words[3])
		if err != nil {
			return err
		}
		fmt.Println(w.bench(words[1] == "args", threads, count))
	}
	return lines.Err()
}

// ours writes pairs of events.
type ours struct {
	events       *producer.Events
	pair         *producer.Name
	number, text *producer.Key
}

func (w *ours) bench(args bool, threads, count int) string {
	var sum time.Duration
	var mu sync.Mutex
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	ready.Add(threads)
	for n := range threads {
		done.Go(func() {
			track := w.events.Goroutine(fmt.Sprint("worker ", n))
			w.pairs(track, args, 1)
			ready.Done()
			<-start
			begin := time.Now()
			w.pairs(track, args, count)
			took := time.Since(begin)
			mu.Lock()
			defer mu.Unlock()
			sum += took
		})
	}
	ready.Wait()
	begin := time.Now()
	close(start)
	done.Wait()
	all := time.Since(begin)
	return fmt.Sprintf("ok\tthread-ns=%d\tall-ns=%d", int(sum)/threads, int(all))
}

func (w *ours) pairs(track *producer.Track, args bool, count int) {
	if !args {
		for range count {
			track.Slice(w.pair).End()
		}
		return
	}
	for n := range count {
		track.Slice(w.pair, producer.Int(w.number, int64(n)), producer.String(w.text, "some text")).End()
	}
}

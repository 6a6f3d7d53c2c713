//go:build linux

package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// At each moment, what a session has passed on and what Left finds in its folder are together what was written,
// each packet once: that is what a reader has when the service is killed at that moment. Only the last packet of
// a chunk that is being written is not known to be whole.
func TestLeft(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	folder := t.TempDir()
	c := words
	c.Buffer, c.Folder = 8<<20, folder
	r := record(t, s, c)
	s.lock()
	r.n.journal.full = 100 << 10
	s.unlock()
	p.waitFor("start 1")
	random := rand.New(rand.NewPCG(1, 2))
	var passed []byte
	var written []string
	read := func() {
		now, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Read(now, func(b Packets) error {
			passed = append(passed, b.Trace()...)
			return nil
		}); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	check := func(step int) {
		t.Helper()
		s.lock() // nothing moves, as when it is killed
		got, kept := wordsLeft(t, folder, passed)
		s.unlock()
		if len(written) == 0 {
			return
		}
		if last := len(written) - 1; !kept || !slices.Equal(got, written) && !slices.Equal(got, written[:last]) {
			t.Fatalf("after step %d: %d packets, want %d: %v", step, len(got), len(written), firstOther(got, written))
		}
	}
	forgot := 0
	for step := range 150 {
		switch random.IntN(8) {
		case 0:
			if err := r.Flush(t.Context(), time.Minute); err != nil {
				t.Fatal(err)
			}
		case 1:
			read()
		case 2:
			read()
			if forget := r.Passed(); forget != nil {
				check(step)
				forget()
				forgot++
			}
		default:
			size := []int{0, 10, 1000, 30_000}[random.IntN(4)]
			text := fmt.Sprint(step, strings.Repeat("x", size))
			p.write(1, text)
			written = append(written, text)
		}
		check(step)
	}
	if forgot == 0 {
		t.Error("no file was forgotten")
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := wordsLeftIn(t.TempDir(), nil); err != nil {
		t.Error(err)
	}
}

// wordsLeft returns the words that were passed on, and those that Left adds.
func wordsLeft(t *testing.T, folder string, passed []byte) (list []string, kept bool) {
	t.Helper()
	// A torn end, as of a file whose writer was killed.
	all, err := wordsLeftIn(folder, append(slices.Clone(passed), 10, 200, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	trace := new(messages.Trace)
	if err := proto.Unmarshal(append(slices.Clone(passed), all...), trace); err != nil {
		t.Fatal(err)
	}
	for _, word := range texts(trace.Packet) {
		list = append(list, strings.TrimPrefix(word, "!"))
	}
	entries, err := os.ReadDir(folder)
	return list, err == nil && len(entries) > 0
}

func wordsLeftIn(folder string, passed []byte) (all []byte, err error) {
	_, err = Left(folder, bytes.NewReader(passed), func(b []byte) error {
		all = append(all, b...)
		return nil
	})
	return all, err
}

// firstOther describes the first difference.
func firstOther(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("packet %d is %.20q, want %.20q", i, got[i], want[i])
		}
	}
	return "the rest is missing, or too much"
}

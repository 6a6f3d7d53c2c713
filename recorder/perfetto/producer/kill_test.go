package producer

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

const (
	// victimDirectory is set to make the test's own program, when started again, write
	// packets until it is killed, for the service with its sockets in that directory.
	victimDirectory = "TRACEX_TEST_VICTIM"
	// killsVariable is how often a program is killed.
	killsVariable = "TRACEX_KILLS"
)

// victim writes packets and reports each written packet.
func victim(dir string) {
	started := make(chan *Instance, 1)
	p, err := Start(Options{Address: dir + "/p", StallLimit: testPatience})
	if err == nil {
		_, err = p.Register(DataSourceSpec{Name: "words", Policy: smb.Stall, Start: func(i *Instance) { started <- i }})
	}
	if err != nil {
		panic(err)
	}
	i := <-started
	for n := 0; ; n++ {
		// Field 900, for_testing, with field 1, str; some take many chunks.
		text := fmt.Sprint(n, strings.Repeat(" long", n%50*n%50))
		event := appendMessage(nil, 1, []byte(text))
		if !i.Write(appendMessage(nil, 900, event)) {
			panic("a packet was not written")
		}
		if n == 0 { // the service must know the writer first
			if err := p.Sync(context.Background()); err != nil {
				panic(err)
			}
		}
		_, _ = os.Stdout.WriteString(strconv.Itoa(n) + "\n")
	}
}

// TestProgramKilled kills programs while they write. All packets written before are
// in the trace, once and in order.
func TestProgramKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the service needs Unix sockets")
	}
	kills := 5
	if s := os.Getenv(killsVariable); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	dir := ipctest.Directory(t)
	serve(t, dir)
	for range kills {
		c := consume(t, dir)
		c.enable(session(64<<10, "words"))
		last := killVictim(t, dir, rand.IntN(3000))
		next := 0
		for _, text := range words(c.finish()) {
			number, _, _ := strings.Cut(strings.TrimPrefix(text, "!"), " ")
			if number != strconv.Itoa(next) {
				t.Fatalf("packet %s follows packet %d", number, next-1)
			}
			next++
		}
		if next <= last {
			t.Errorf("the last packet is %d; packet %d was written", next-1, last)
		}
		c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	}
}

// killVictim runs a victim, kills it when it has written the packet with that
// number, and returns the last packet that it reported.
func killVictim(t *testing.T, dir string, packet int) (last int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimDirectory+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for last = -1; last < packet && lines.Scan(); {
		if last, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Process.Kill()
	for lines.Scan() { // the last line may be cut short
		if n, err := strconv.Atoi(lines.Text()); err == nil && n == last+1 {
			last = n
		}
	}
	_ = cmd.Wait() // killed, hence the error
	return last
}

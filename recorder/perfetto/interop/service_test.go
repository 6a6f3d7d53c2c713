package interop

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	recording "tracex/recorder/perfetto/service"
)

// serviceName is the name under which the test binary is a service in another
// process.
const serviceName = "tracex-interop-service"

// serveUntilKilled is the main function of that process: its arguments are the
// addresses. It reports when it serves, and ends at the latest when its input does.
func serveUntilKilled() {
	s, err := recording.Start(recording.Config{Producers: os.Args[1], Consumers: os.Args[2]})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Close(); err != nil {
		os.Exit(1)
	}
}

// run starts the process and returns a function that kills it.
func (s *service) run() (kill func()) {
	t := s.t
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), serviceName)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, s.producers, s.consumers)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the service says %q", line)
	}
	return kill
}

// When the service is killed the program continues. The packets that it writes
// meanwhile are dropped, and those that it writes for the next service are recorded.
func TestServiceComesBack(t *testing.T) {
	needInterop(t)
	s := newService(t)
	kill := s.run()
	p := s.start("producer")
	s.waitForProducers(1)
	s.consume().record(config())
	p.do("packets", 2, 50, 10_000)

	const threads, rounds = 2, 300
	busy := p.begin("events", threads, 50_000)
	kill()
	p.done(busy, "events")
	p.do("stopped", 1)

	s.run()
	s.waitForProducers(1)
	k := s.consume()
	k.record(config())
	p.do("started", 2)
	p.do("events", threads, rounds)
	p.do("packets", threads, 100, 300_000)
	k.stop()
	packets := decode(t, k.read())
	checkEvents(t, packets, threads, rounds)
	checkPackets(t, packets, threads, 100, 300_000)
	checkStats(t, packets)
	p.finish()
}

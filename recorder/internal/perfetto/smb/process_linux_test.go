package smb

import (
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The shared memory of these tests: the buffer, followed by a word for each
// goroutine that counts the packets it has written.
const (
	programSize    = 256 << 10
	programWriters = 3
	programEnv     = "TRACEX_SMB_TEST_PROGRAM"
)

// memoryFile returns a sealed memory file as services make it.
func memoryFile(t *testing.T, size int64) *os.File {
	t.Helper()
	fd, err := unix.MemfdCreate("smb_test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Skip("no memory files here:", err)
	}
	f := os.NewFile(uintptr(fd), "smb_test")
	t.Cleanup(func() { f.Close() })
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRandomMapped is TestRandom over a memory file that both sides have mapped.
func TestRandomMapped(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for _, pageSize := range []int{4 << 10, 32 << 10} {
		for _, p := range []Policy{Drop, Stall} {
			t.Run(fmt.Sprintf("%dK/policy%d", pageSize>>10, p), func(t *testing.T) {
				f := memoryFile(t, int64(4*pageSize))
				one, two := mapped(t, f, 4*pageSize), mapped(t, f, 4*pageSize)
				testRandom(t, Config{Memory: one.Bytes(), PageSize: pageSize, Layout: Div4}, two.Bytes(), p, seed, 3)
			})
			seed++
		}
	}
}

// pipeEndpoint sends its calls through a pipe. Bytes that the pipe has accepted
// arrive, even if the program is then killed.
type pipeEndpoint struct {
	mu  sync.Mutex
	out *gob.Encoder
}

// pipeMessage is one call of an Endpoint.
type pipeMessage struct {
	Commit               *Commit
	Register, Unregister uint16
}

func (p *pipeEndpoint) send(m pipeMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.out.Encode(m); err != nil {
		fmt.Fprintln(os.Stderr, "program:", err)
		os.Exit(3)
	}
}

func (p *pipeEndpoint) Commit(c *Commit)                  { p.send(pipeMessage{Commit: c}) }
func (p *pipeEndpoint) RegisterWriter(w uint16, _ uint32) { p.send(pipeMessage{Register: w}) }
func (p *pipeEndpoint) UnregisterWriter(w uint16)         { p.send(pipeMessage{Unregister: w}) }

// TestProgram is the other process. It writes numbered packets, of all lengths, and
// in place where possible, until it is killed or has written the requested number.
func TestProgram(t *testing.T) {
	limit, err := strconv.Atoi(os.Getenv(programEnv))
	if err != nil {
		t.Skip("only as a part of other tests")
	}
	m := mapped(t, os.NewFile(3, "memory"), programSize+4<<10)
	a, err := New(Config{Memory: m.Bytes()[:programSize], PageSize: 4 << 10, Layout: Div2, StallLimit: time.Hour},
		&pipeEndpoint{out: gob.NewEncoder(os.NewFile(4, "pipe"))})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range programWriters {
		w, err := a.NewWriter(a.Target(1), Stall)
		if err != nil {
			t.Fatal(err)
		}
		done := word(m.Bytes(), programSize+4*i)
		all.Go(func() {
			for n := uint32(0); limit == 0 || int(n) < limit; n++ {
				packet := numbered(n)
				if room := w.Small(len(packet)); n%2 == 0 && room != nil {
					w.EndSmall(copy(room, packet))
				} else if !w.Packet(packet) {
					t.Error("a packet was dropped")
				}
				storeWord(done, n+1)
			}
			w.Close()
		})
	}
	all.Wait()
	a.Flush()
	a.Close()
	<-a.Done()
}

// numbered returns the n-th packet.
func numbered(n uint32) []byte {
	size := 4 + n%61
	if n%97 == 0 {
		size = 4 + n%7001
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(n)
	}
	binary.LittleEndian.PutUint32(b, n<<8) // no mark begins with 0
	return b
}

// runProgram starts the program and acts as its service, until the program ends.
// After each commit it calls after with the number of commits.
func runProgram(t *testing.T, limit int, after func(p *os.Process, commits int)) (*service, []byte) {
	t.Helper()
	f := memoryFile(t, programSize+4<<10)
	m := mapped(t, f, programSize+4<<10)
	r, err := NewReader(m.Bytes()[:programSize], 4<<10)
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, r)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProgram$")
	cmd.Env = append(os.Environ(), programEnv+"="+strconv.Itoa(limit))
	cmd.ExtraFiles = []*os.File{f, out}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	commits := 0
	for dec := gob.NewDecoder(in); ; {
		var m pipeMessage
		if err := dec.Decode(&m); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			break
		}
		switch {
		case m.Commit != nil:
			s.Commit(m.Commit)
			commits++
			after(cmd.Process, commits)
		case m.Register != 0:
			s.RegisterWriter(m.Register, 1)
		default:
			s.UnregisterWriter(m.Unregister)
		}
	}
	if err := cmd.Wait(); err != nil && limit != 0 {
		t.Error("program:", err)
	}
	s.scrape()
	return s, m.Bytes()[programSize:]
}

// checkProgram compares the packets received with those that the program counted.
func checkProgram(t *testing.T, s *service, counts []byte) (total int) {
	t.Helper()
	written := make([]int, 0, programWriters)
	for i := range programWriters {
		written = append(written, int(loadWord[uint32](word(counts, 4*i))))
	}
	for i, want := range written {
		id := uint16(i + 1)
		got, losses := s.packets(id)
		if losses != 0 || s.gaps(id) != 0 {
			t.Errorf("writer %d: %d packets given up, %d gaps", id, losses, s.gaps(id))
		}
		for n, p := range got {
			if p, loss, first := marks(p); string(p) != string(numbered(uint32(n))) || loss != 0 || first != (n == 0) {
				t.Fatalf("writer %d, packet %d of %d: other bytes, or marks", id, n, len(got))
			}
		}
		// The program may have ended between writing a packet and counting it.
		if len(got) != want && len(got) != want+1 {
			t.Errorf("writer %d: %d packets arrived, %d were written", id, len(got), want)
		}
		total += len(got)
	}
	return total
}

// TestTwoProcesses lets a program write until it is done.
func TestTwoProcesses(t *testing.T) {
	s, counts := runProgram(t, 20_000, func(*os.Process, int) {})
	if total := checkProgram(t, s, counts); total != programWriters*20_000 {
		t.Errorf("%d packets", total)
	}
	if len(s.buffers) != 0 || len(s.ever) != programWriters {
		t.Errorf("%d writers are registered, %d were", len(s.buffers), len(s.ever))
	}
}

// TestKill kills a program at a random moment. All packets that it had written can
// be read. TRACEX_KILLS is the number of repetitions.
func TestKill(t *testing.T) {
	kills := 5
	if n, err := strconv.Atoi(os.Getenv("TRACEX_KILLS")); err == nil {
		kills = n
	}
	for i := range kills {
		s, counts := runProgram(t, 0, func(p *os.Process, commits int) {
			if commits == 1+i*i%37 {
				if err := p.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		})
		total := checkProgram(t, s, counts)
		t.Logf("%d packets; %d chunks were being written", total, s.scrapes)
		if t.Failed() {
			return
		}
	}
}

package recording

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/instrument/raw"
)

// errSplit is why packets are in no trace.
var errSplit = errors.New("--split makes a trace for each process, and theirs is unknown")

// splitting makes a trace for each process.
type splitting struct {
	maker
	spool   string          // where packets are; "" if there are none
	senders map[int32]bool  // processes whose packets are in no trace so far
	files   map[int32]bool  // processes with raw files
	taken   map[string]bool // paths of traces
	alone   []splitProcess  // those with packets, but without calls
	made    []Trace
	written map[string]bool // paths of those made of raw files
	all     Trace
	lines   raw.Lines
	inLine  []*splitProcess // by their numbers in lines
}

// convertEach makes a trace of each raw file, with the packets of its process from the file at spool, unless
// that is "", and of the packets of each process without calls. It returns the traces that have events, and
// what all files have. After an error these are those before. If no raw file has events, the packets are
// left alone.
func (m *maker) convertEach(ctx context.Context, files []string, spool string) (made []Trace, all Trace, err error) {
	s := splitting{maker: *m, spool: spool, taken: make(map[string]bool), written: make(map[string]bool)}
	s.dir = nil // it claims one place
	s.all.Raws, s.files = new(instrumented.Summary), make(map[int32]bool)
	if spool != "" {
		if s.senders, err = sendersIn(ctx, spool); err != nil {
			return nil, s.all, err
		}
	}
	list := splitProcesses(files)
	place := make(map[string]int)
	for i := range list {
		list[i].path = splitPath(s.Output, &list[i], s.taken)
		place[list[i].path] = i
	}
	s.elsewhere = s.parent
	for _, p := range s.byAge(list) {
		if err = s.raw(ctx, *p); err != nil {
			return s.made, s.all, err
		}
	}
	slices.SortFunc(s.made, func(a, b Trace) int { return cmp.Compare(place[a.Path], place[b.Path]) })
	if s.all.Raws.Events() > 0 {
		err = s.packets(ctx)
	}
	return s.made, s.all, err
}

// sendersIn returns the processes whose events are in packets.
func sendersIn(ctx context.Context, spool string) (map[int32]bool, error) {
	in, err := os.Open(spool)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return perfetto.Processes(ctx, in)
}

// byAge returns the processes in the order in which their recordings began: a parent has its trace before those that it started.
func (s *splitting) byAge(list []splitProcess) (order []*splitProcess) {
	for i := range list {
		p := &list[i]
		if order = append(order, p); p.head != nil {
			s.lines.Add(p.head)
			s.inLine = append(s.inLine, p)
		}
	}
	slices.SortStableFunc(order, func(a, b *splitProcess) int { return cmp.Compare(a.began(), b.began()) })
	return order
}

// parent returns the file with the trace of the parent of a process, "" if it has none, and the name of the parent, "" if none is known.
func (s *splitting) parent(h *raw.Header) (trace, name string) {
	parent := s.lines.ParentOf(h)
	if parent.Of < 0 {
		return "", ""
	}
	p := s.inLine[parent.Of]
	if s.written[p.path] {
		trace = filepath.Base(p.path)
	}
	return trace, strings.TrimSpace(p.name + " " + p.pid)
}

// check checks that the trace of a process can be written.
func (s *splitting) check(path string) error {
	one := s.maker
	one.Output = path
	return one.checkFiles()
}

// raw makes the trace of a raw file.
func (s *splitting) raw(ctx context.Context, p splitProcess) error {
	if err := s.check(p.path); err != nil {
		return err
	}
	s.files[p.packets.PID] = true
	spool := ""
	if s.senders[p.packets.PID] {
		spool = s.spool
	}
	to := growingFiles{path: p.path, replace: s.Replace}
	made, err := s.convertRaws(ctx, []string{p.file}, spool, &p.packets, &to)
	if err != nil {
		return to.writeError(err)
	}
	s.all.Raws.Add(made.Raws)
	s.all.damage, s.all.Lost = cmp.Or(s.all.damage, made.damage), cmp.Or(s.all.Lost, made.Lost)
	if made.Raws.Events() > 0 {
		s.made, s.written[made.Path] = append(s.made, made), true
	} else if spool != "" {
		s.alone = append(s.alone, p)
	}
	return nil
}

// packets makes the traces of processes that have packets but no calls.
func (s *splitting) packets(ctx context.Context) error {
	for _, pid := range slices.Sorted(maps.Keys(s.senders)) {
		switch {
		case s.files[pid]:
		case pid == 0:
			s.all.Lost = cmp.Or(s.all.Lost, errSplit)
		default:
			p := splitProcess{pid: strconv.Itoa(int(pid)), packets: perfetto.Process{PID: pid, From: math.MinInt64, To: math.MaxInt64}}
			p.path = splitPath(s.Output, &p, s.taken)
			if err := s.check(p.path); err != nil {
				return err
			}
			s.alone = append(s.alone, p)
		}
	}
	for _, p := range s.alone {
		c := s.conversion()
		c.Output, c.NotEmpty, c.Process = p.path, true, &p.packets
		own, damage, err := c.Packets(ctx, s.spool)
		switch {
		case errors.Is(err, importer.ErrNoEvents):
			continue
		case err != nil:
			return err
		}
		s.all.damage = cmp.Or(s.all.damage, damage)
		s.made = append(s.made, Trace{Path: p.path, Packets: own})
	}
	return nil
}

// splitPath returns where the trace of a process goes: trace-shop-4711.bin for trace.bin. A process that
// became another program has several files.
func splitPath(output string, p *splitProcess, taken map[string]bool) string {
	stem, isBin := strings.CutSuffix(output, ".bin")
	stem += "-" + plainName(p.name) + "-" + plainName(p.pid)
	path := stem
	for n := 2; taken[path]; n++ {
		path = stem + "-" + strconv.Itoa(n)
	}
	taken[path] = true
	if isBin {
		path += ".bin"
	}
	return path
}

// plainName turns the name of a program into a part of a file's name.
func plainName(name string) string {
	const most = 60
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._", r) {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "process"
	}
	return name[:min(len(name), most)]
}

// splitProcess is a process that gets a trace by --split.
type splitProcess struct {
	file      string // its raw file; "" if there is none
	name, pid string
	packets   perfetto.Process
	path      string      // of its trace
	head      *raw.Header // of the file; nil if it has none that can be read
}

// began returns when the recording of the process began, by the monotonic clock.
func (p *splitProcess) began() uint64 {
	if p.head == nil {
		return math.MaxUint64
	}
	return p.head.Nanos
}

// splitProcesses returns the processes of raw files.
func splitProcesses(files []string) []splitProcess {
	all := make([]splitProcess, len(files))
	var order []*perfetto.Process
	for i, path := range files {
		p := &all[i]
		p.file = path
		f, err := raw.Open(path)
		if err != nil {
			p.pid, _, _ = strings.Cut(filepath.Base(path), "-")
			p.packets.PID = -1 // of no process
			continue
		}
		h := &f.Head
		p.head, p.name, p.pid = h, h.Program(), strconv.FormatUint(h.PID, 10)
		p.packets = perfetto.Process{PID: int32(min(h.PID, math.MaxInt32)), From: int64(min(h.Nanos, math.MaxInt64)), To: math.MaxInt64}
		order = append(order, &p.packets)
		f.Close()
	}
	// A process that became another program has several files: each has what was recorded until the next
	// one, and the first one also what was recorded before.
	slices.SortFunc(order, func(a, b *perfetto.Process) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.From, b.From))
	})
	for i, p := range order {
		if i > 0 && order[i-1].PID == p.PID {
			order[i-1].To = p.From
		} else {
			p.From = math.MinInt64
		}
	}
	return all
}

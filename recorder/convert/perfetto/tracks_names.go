package perfetto

import (
	"cmp"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/convert/fit"
)

// threadID identifies a thread of a process, by the system's numbers.
type threadID struct {
	pid processID
	tid int64
}

// names holds the names of processes and threads.
type names struct {
	processes map[processID]string
	threads   map[threadID]string
}

// threadDescriptor is a decoded ThreadDescriptor.
type threadDescriptor struct {
	threadID
	name      string
	reference int64 // ns
}

// readProcess reads a ProcessDescriptor.
func (n *names) readProcess(machine uint32, b []byte) (pid processID, name string, ok bool) {
	command, chrome := "", ""
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			pid = processOn(machine, int32(f.value))
		case 2:
			if command == "" {
				command = fit.Name(f.raw)
			}
		case 4:
			chrome = chromeProcesses[f.value]
		case 6:
			name = fit.Name(f.raw)
		}
	}
	command = cmp.Or(command, chrome)
	n.nameProcess(pid, name)
	if n.processes[pid] == "" {
		n.nameProcess(pid, command)
	}
	name = cmp.Or(name, command)
	return pid, name, !f.bad
}

func (n *names) nameProcess(pid processID, name string) {
	if name != "" && (n.processes[pid] != "" || len(n.processes) < knownTracks) {
		n.processes[pid] = name
	}
}

func (n *names) nameThread(id threadID, name string) {
	if name != "" && (n.threads[id] != "" || len(n.threads) < knownTracks) {
		n.threads[id] = name
	}
}

// readThread reads a ThreadDescriptor.
func (n *names) readThread(machine uint32, b []byte) (t threadDescriptor, ok bool) {
	chrome := ""
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			t.pid = processOn(machine, int32(f.value))
		case 2:
			t.tid = int64(f.value)
		case 4:
			chrome = chromeThreads[f.value]
		case 5:
			t.name = fit.Name(f.raw)
		case 6:
			t.reference = int64(f.value) * 1000
		}
	}
	t.name = cmp.Or(t.name, chrome)
	n.nameThread(t.threadID, t.name)
	return t, !f.bad
}

// processDescriptor reads a packet with which older writers named their process.
func (ts *tracks) processDescriptor(p *packet) {
	if _, _, ok := ts.names.readProcess(p.machine, p.data); !ok {
		ts.left.Count(damaged, 1, p.offset)
	}
}

// threadDescriptor reads a packet with which older writers named their thread, and
// the base of the relative times in their events.
func (ts *tracks) threadDescriptor(p *packet, s *sequence) {
	t, ok := ts.names.readThread(p.machine, p.data)
	switch {
	case !ok:
		ts.left.Count(damaged, 1, p.offset)
	case s == nil || !s.valid:
		ts.left.Count(withoutState, 1, p.offset)
	default:
		s.writtenBy(t)
	}
}

func (s *sequence) writtenBy(t threadDescriptor) {
	s.thread, s.hasThread = t.threadID, true
	s.reference, s.hasReference = t.reference, true
}

// processTree reads a packet that names processes and threads of the system.
func (ts *tracks) processTree(p *packet) {
	n := &ts.names
	f := fields{rest: p.data}
	for f.next() {
		switch f.number {
		case 1: // a process
			number, _, name := treeEntry(f.raw, 2, 3)
			pid := processOn(p.machine, int32(number))
			if n.processes[pid] == "" {
				n.nameProcess(pid, name)
			}
		case 2: // a thread
			tid, pid, name := treeEntry(f.raw, 3, 2)
			if id := (threadID{processOn(p.machine, int32(pid)), tid}); n.threads[id] == "" {
				n.nameThread(id, name)
			}
		}
	}
	if f.bad {
		ts.left.Count(damaged, 1, p.offset)
	}
}

// treeEntry decodes an entry of a process tree: its number, another number and the
// first name, given the numbers of their fields.
func treeEntry(b []byte, otherField, nameField protowire.Number) (id, other int64, name string) {
	f := fields{rest: b}
	for f.next() {
		switch {
		case f.number == 1:
			id = int64(f.value)
		case f.number == otherField:
			other = int64(f.value)
		case f.number == nameField && name == "":
			name = fit.Name(f.raw)
		}
	}
	return id, other, name
}

// Chrome's names for processes and threads if a trace has only their types, by
// the numbers of its protocol.
var (
	chromeProcesses = map[uint64]string{
		1: "Browser", 2: "Renderer", 3: "Utility", 4: "SandboxHelper", 6: "Gpu", 7: "PpapiPlugin", 8: "PpapiBroker",
		9: "Service: network", 10: "Service: tracing", 11: "Service: storage", 12: "Service: audio", 40: "Extension Renderer",
	}
	chromeThreads = map[uint64]string{
		1: "CrProcessMain", 2: "ChromeIOThread", 3: "ThreadPoolBackgroundWorker", 4: "ThreadPoolForegroundWorker",
		7: "ThreadPoolService", 8: "Compositor", 9: "VizCompositorThread", 10: "CompositorTileWorker", 11: "ServiceWorkerThread",
		12: "NetworkService", 13: "Chrome_ChildIOThread", 14: "Chrome_IOThread", 15: "CrBrowserMain", 16: "CrRendererMain",
		17: "CrUtilityMain", 18: "CrGpuMain", 20: "Media", 50: "MemoryInfra", 51: "StackSamplingProfiler",
	}
)

// typeOf returns the first field of a ChromeProcessDescriptor or a
// ChromeThreadDescriptor: the type.
func typeOf(b []byte) (kind uint64, ok bool) {
	f := fields{rest: b}
	for f.next() {
		if f.number == 1 {
			kind = f.value
		}
	}
	return kind, !f.bad
}

package perfetto

import (
	"cmp"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/recorder/convert/fit"
)

// Fields of TrackDescriptor that our messages lack.
const (
	trackChrome     = 6 // Chrome's description of its process
	trackChromeMore = 7 // and of its thread
)

// parseTrack decodes a TrackDescriptor, and records the processes and threads in it.
func (ts *tracks) parseTrack(machine uint32, b []byte) (t track, s threadDescriptor, ok bool) {
	var key, process string
	var merging, chrome uint64
	var named protowire.Number // the field from which the name was taken
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case pbfield.TrackDescriptor_Uuid:
			t.uuid, t.hasUUID = f.value, true
		case pbfield.TrackDescriptor_Name, pbfield.TrackDescriptor_StaticName, pbfield.TrackDescriptor_AtraceName:
			if named == 0 || f.number <= named { // the first of them counts
				t.name, named = fit.Name(f.raw), f.number
			}
		case pbfield.TrackDescriptor_Process:
			t.pid, process, ok = ts.names.readProcess(machine, f.raw)
			f.bad = f.bad || !ok
			t.hasProcess = true
		case pbfield.TrackDescriptor_Thread:
			s, ok = ts.names.readThread(machine, f.raw)
			f.bad = f.bad || !ok
			t.thread, t.hasThread = s.threadID, true
		case trackChrome, trackChromeMore:
			chrome, ok = typeOf(f.raw)
			f.bad = f.bad || !ok
		case pbfield.TrackDescriptor_ParentUuid:
			t.parent = f.value
		case pbfield.TrackDescriptor_Counter:
			t.counter, ok = readCounter(f.raw)
			f.bad = f.bad || !ok
		case pbfield.TrackDescriptor_SiblingMergeBehavior:
			merging = f.value
		case pbfield.TrackDescriptor_SiblingMergeKey:
			key = "key " + fit.Name(f.raw)
		case pbfield.TrackDescriptor_SiblingMergeKeyInt:
			key = "number " + string(protowire.AppendVarint(nil, f.value))
		case pbfield.TrackDescriptor_State:
			t.state = true
		}
	}
	// If it describes several things, the first case below counts.
	switch {
	case t.hasThread:
		t.title, t.hasProcess, t.state = cmp.Or(s.name, chromeThreads[chrome]), false, false
	case t.hasProcess:
		t.title, t.state = cmp.Or(process, chromeProcesses[chrome]), false
	case t.counter != nil:
		t.state = false
	}
	t.machine = machine
	t.uuid, t.parent = trackOn(t.machine, t.uuid), trackOn(t.machine, t.parent)
	switch merging {
	case pbfield.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE:
		t.apart = true
	case pbfield.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY:
		t.key = "by " + key
	}
	return t, s, !f.bad
}

// readCounter reads a CounterDescriptor.
func readCounter(b []byte) (*counter, bool) {
	c := &counter{}
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1: // a kind with a fixed name and unit
			switch f.value {
			case 1:
				c.name, c.unit = "thread_time", "ns"
			case 2:
				c.name = "thread_instruction_count"
			}
		case 3:
			if c.unit == "" {
				c.unit = [...]string{"", "ns", "", "bytes", ""}[min(f.value, 4)]
			}
		case 4:
			c.multiplier = int64(f.value)
		case 5:
			c.incremental = f.value != 0
		case 6:
			c.unit = fit.Name(f.raw)
		}
	}
	return c, !f.bad
}

// trackDescriptor reads a packet that describes a track. The first description of a
// track's parent counts; names may arrive later, and change.
func (ts *tracks) trackDescriptor(p *packet, s *sequence) {
	t, written, ok := ts.parseTrack(p.machine, p.data)
	if !ok {
		ts.left.Count(damaged, 1, p.offset)
		return
	}
	// Track 0 is never a child: it has no parent.
	if !t.hasUUID || t.uuid == 0 && t.parent != 0 {
		ts.left.Count(withoutUUID, 1, p.offset)
		return
	}
	if t.hasThread && s != nil && s.valid {
		s.writtenBy(written)
	}
	if known := ts.described[t.uuid]; known != nil {
		if t.name != "" && (known.name == "" || known.apart) {
			known.name = t.name
		}
		if t.title != "" {
			known.title = t.title
		}
		return
	}
	if _, joined := ts.joined.Get(t.uuid); joined {
		return
	}
	if len(ts.described) >= knownTracks {
		ts.left.Count(tooManyTracks, 1, p.offset)
		return
	}
	ts.described[t.uuid] = &t
	if t.hasThread {
		ts.threads[t.thread] = t.uuid
	}
	if _, known := ts.processes[t.pid]; t.hasProcess && !known {
		ts.processes[t.pid] = t.uuid
	}
	if s != nil {
		s.lastTimeline = nil
	}
}

// threadDescriptor is a decoded ThreadDescriptor.
type threadDescriptor struct {
	threadID
	name      string
	reference int64 // ns
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

package gotrace

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kinds of events, besides those of framer.go.
const (
	evStack         = 3
	evString        = 5
	evCPUSample     = 7
	evFrequency     = 8
	evProcsChange   = 9
	evProcStart     = 10
	evProcStop      = 11
	evProcSteal     = 12
	evProcStatus    = 13
	evGoCreate      = 14
	evGoStart       = 16
	evGoDestroy     = 17
	evGoStop        = 19
	evGoBlock       = 20
	evGoUnblock     = 21
	evSyscallBegin  = 22
	evSyscallEnd    = 23
	evSyscallEnd2   = 24 // it blocked
	evGoStatus      = 25
	evSTWBegin      = 26
	evSTWEnd        = 27
	evGCActive      = 28
	evGCBegin       = 29
	evGCEnd         = 30
	evSweepBegin    = 32
	evSweepEnd      = 33
	evAssistActive  = 34
	evAssistBegin   = 35
	evAssistEnd     = 36
	evHeapAlloc     = 37
	evHeapGoal      = 38
	evGoLabel       = 39
	evTaskBegin     = 40
	evTaskEnd       = 41
	evRegionBegin   = 42
	evRegionEnd     = 43
	evLog           = 44
	evGoSwitch      = 45
	evCreateBlocked = 47
	evStatusStack   = 48
	evSync          = 50
	evClock         = 51
	evSpan          = 127 + 1 // experimental
)

// States in status events.
const (
	procRunning = 1
	procIdle    = 2
	goRunnable  = 1
	goRunning   = 2
	goSyscall   = 3
	goWaiting   = 4
)

// maker makes the bytes of a trace: one unit of its clock is a nanosecond.
type maker struct {
	minor   int
	out     []byte
	number  uint64 // of the generation
	strings map[string]uint64
	stacks  map[string]uint64
	threads map[uint64]*madeBatch
	samples []byte
	now     uint64
	on      uint64 // thread of the next events
}

type madeBatch struct {
	data []byte
	last uint64
}

func newMaker(minor int) *maker {
	m := &maker{minor: minor, number: 1, now: 1000, on: 1}
	m.out = fmt.Appendf(nil, "go 1.%d trace\x00\x00\x00", minor)
	m.clear()
	return m
}

func (m *maker) clear() {
	m.strings, m.stacks, m.threads, m.samples = map[string]uint64{}, map[string]uint64{}, map[uint64]*madeBatch{}, nil
}

func varints(b []byte, list ...uint64) []byte {
	for _, n := range list {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// s returns the number of a string.
func (m *maker) s(text string) uint64 {
	n, ok := m.strings[text]
	if !ok {
		n = uint64(len(m.strings) + 1)
		m.strings[text] = n
	}
	return n
}

// stack returns the number of a stack, which has frames as "main.recv /x/main.go:10", the innermost first.
func (m *maker) stack(frames ...string) uint64 {
	key := strings.Join(frames, "\n")
	if n, ok := m.stacks[key]; ok || key == "" {
		return n
	}
	for _, f := range frames {
		function, place, _ := strings.Cut(f, " ")
		file, _, _ := strings.Cut(place, ":")
		m.s(function)
		m.s(file)
	}
	m.stacks[key] = uint64(len(m.stacks) + 1)
	return m.stacks[key]
}

// add adds an event, some nanoseconds after the one before.
func (m *maker) add(after uint64, kind byte, args ...uint64) {
	m.now += after
	b := m.threads[m.on]
	if b == nil {
		b = &madeBatch{last: 1000}
		m.threads[m.on] = b
	}
	b.data = varints(varints(append(b.data, kind), m.now-b.last), args...)
	b.last = m.now
}

// sample adds a sample of a CPU profile.
func (m *maker) sample(g uint64, stack uint64) {
	m.samples = varints(append(m.samples, evCPUSample), m.now, m.on, 0, g, stack)
}

func (m *maker) batch(thread uint64, data []byte) {
	m.out = varints(append(m.out, eventBatch), m.number, thread, 1000, uint64(len(data)))
	m.out = append(m.out, data...)
}

const noThread = 1<<64 - 1

// end ends the generation, and begins the next one.
func (m *maker) end() {
	sync := varints([]byte{evFrequency}, 1e9)
	if m.minor >= 25 {
		// The clock was read 40 ns after the beginning.
		sync = varints(append(append([]byte{evSync}, sync...), evClock), 40, 7, 1_700_000_000, 5)
	}
	m.batch(noThread, sync)
	for _, thread := range sortedKeys(m.threads) {
		m.batch(thread, m.threads[thread].data)
	}
	if m.samples != nil {
		m.batch(noThread, append([]byte{eventSamples}, m.samples...))
	}
	if len(m.stacks) > 0 {
		m.batch(noThread, m.stackTable())
	}
	if len(m.strings) > 0 {
		m.batch(noThread, m.stringTable())
	}
	if m.minor >= 26 {
		m.out = append(m.out, eventEnd)
	}
	m.number++
	m.clear()
}

func (m *maker) stackTable() []byte {
	b := []byte{eventStacks}
	for key, n := range m.stacks {
		frames := strings.Split(key, "\n")
		b = varints(append(b, evStack), n, uint64(len(frames)))
		for _, f := range frames {
			function, place, _ := strings.Cut(f, " ")
			file, line, _ := strings.Cut(place, ":")
			number, _ := strconv.ParseUint(line, 10, 32)
			// A program counter for each frame.
			b = varints(b, 1000*m.s(function)+number, m.s(function), m.s(file), number)
		}
	}
	return b
}

func (m *maker) stringTable() []byte {
	b := []byte{eventStrings}
	for text, n := range m.strings {
		b = append(varints(append(b, evString), n, uint64(len(text))), text...)
	}
	return b
}

func sortedKeys[V any](in map[uint64]V) (keys []uint64) {
	for k := range in {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// begin begins a generation with a processor that runs a goroutine.
func (m *maker) begin(goroutine uint64) {
	m.add(1, evProcStatus, 0, procRunning)
	m.add(1, evGoStatus, goroutine, m.on, goRunning)
}

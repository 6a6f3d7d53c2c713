package uftrace

import (
	"encoding/binary"
	"testing"
)

// eventData returns the data of an event: its size, then itself.
func eventData(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint16(nil, uint16(len(b))), b...)
}

func TestEvents(t *testing.T) {
	d := newDirectory()
	d[eventsFile] = "EVENT: 1000000 app:started\nEVENT: 1000001 app:with data\nnonsense\n"
	event := func(b []byte, time, id uint64, data []byte) []byte {
		if data != nil {
			data = eventData(data)
		}
		return appendRecord(b, time, typeEvent, 0, id, data)
	}
	b := story("10 > 0 main\n")
	b = event(b, 11, 1_000_000, nil)
	b = event(b, 12, 1_000_001, []byte("anything"))
	b = event(b, 13, eventReadFaults, words(1, 905))
	b = event(b, 14, eventDiffStatm, words(4, 1<<64-8, 0))
	b = event(b, 15, eventWatchCPU, []byte{3, 0, 0, 0})
	b = event(b, 16, eventWatchVar, append(words(programBase+0x5000), 0xfe, 0xff))
	b = event(b, 17, eventWatchVar, append(words(0x1234), 1, 2, 3))
	b = event(b, 18, eventCallSite, words(programBase))
	// Unknown ones, and ones with too little data.
	b = event(b, 19, 1_000_007, nil)
	b = event(b, 20, 200_001, []byte("x"))
	b = event(b, 21, eventReadCycle, words(1))
	b = event(b, 22, eventWatchCPU, nil)
	b = append(b, story("30 < 0 main")...)
	d["100.dat"] = string(b)
	d.expect(t, `# program 100 › main
main() @0+20
  app:started() @1+0
  app:with data() @2+0
  read:page-fault(major ➜ 1, minor ➜ 905) @3+0
  diff:proc/statm(vmsize (KB) ➜ 4, vmrss (KB) ➜ -8, shared (KB) ➜ 0) @4+0
  cpu = 3
  _setjmp = -2
  [0x1234] = 0x30201
`, "1 address of a call's place", "4 events of unknown kinds", "1 line that is not understood")
}

// TestOtherData: what is not converted is counted.
func TestOtherData(t *testing.T) {
	d := newDirectory()
	d["100.dat"] = string(story("10 > 0 main\n20 < 0 main"))
	for _, name := range []string{"perf-cpu0.dat", "perf-cpu1.dat", "kernel-cpu0.dat", "extern.dat", "+5.dat", "-5.dat", "x.dat"} {
		d[name] = "some data"
	}
	d["perf-cpu2.dat"] = ""
	d.expect(t, "# program 100 › main\nmain() @0+10\n", "2 files of scheduling events", "1 file of kernel functions", "1 file of external messages")
}

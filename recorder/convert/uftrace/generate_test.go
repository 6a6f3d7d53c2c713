package uftrace

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/readback"
)

// directory is a data directory in memory, by the names of its files.
type directory map[string]string

// The functions of the program in a directory by newDirectory: 0x1000 bytes from each other.
var programFunctions = []string{"main", "f", "g", "h", "fork", "_setjmp"}

const (
	programBase = 0x400000
	pid         = 100
)

// at returns the address of a call of a function of the program.
func at(name string) uint64 {
	for i, f := range programFunctions {
		if f == name {
			return programBase + uint64(i)*0x1000 + 4
		}
	}
	panic("no function " + name)
}

// newDirectory returns a directory of a program without records. lines are added to info.
func newDirectory(lines ...string) directory {
	var symbols strings.Builder
	for i, f := range programFunctions {
		fmt.Fprintf(&symbols, "%016x T %s\n", i*0x1000, f)
	}
	fmt.Fprintf(&symbols, "%016x ? __sym_end\n", len(programFunctions)*0x1000)
	return directory{
		infoFile:  header(class64, 0, 1024) + strings.Join(append([]string{"exename:/bin/program"}, lines...), "\n") + "\n",
		tasksFile: "SESS timestamp=0.000000001 pid=100 sid=1234567812345678 exename=\"/bin/program\"\nTASK timestamp=0.000000002 tid=100 pid=100\n",
		"sid-1234567812345678.map": "400000-500000 r-xp 00000000 00:00 0 /bin/program\n" +
			"7ffe00000000-7ffe00001000 rw-p 00000000 00:00 0 [stack]\n",
		"program.sym": symbols.String(),
	}
}

func header(class byte, features uint64, maxStack uint16) string {
	head := make([]byte, headerSize)
	copy(head, magic)
	binary.LittleEndian.PutUint32(head[versionAt:], newestVersion)
	binary.LittleEndian.PutUint16(head[sizeAt:], headerSize)
	head[endianAt], head[classAt] = littleEndian, class
	binary.LittleEndian.PutUint64(head[featuresAt:], features)
	binary.LittleEndian.PutUint16(head[maxStackAt:], maxStack)
	return string(head)
}

// appendRecord appends a record with its data, padded.
func appendRecord(b []byte, time uint64, kind, depth int, address uint64, data []byte) []byte {
	bits := uint64(kind) | recordMagic<<magicShift | uint64(depth&depthMask)<<depthShift | address<<addrShift
	if data != nil {
		bits |= moreBit
	}
	b = binary.LittleEndian.AppendUint64(b, time)
	b = binary.LittleEndian.AppendUint64(b, bits)
	b = append(b, data...)
	return append(b, make([]byte, align(len(data), dataAlign))...)
}

// story makes records of lines such as "10 > 1 f", an entry at 10 ns and depth 1, "20 < 1 f", "30 lost 5".
func story(lines string) []byte {
	var b []byte
	for line := range strings.Lines(lines) {
		var time uint64
		var kind, name string
		var n int
		if _, err := fmt.Sscan(line, &time, &kind, &n); err != nil {
			panic(line)
		}
		_, _ = fmt.Sscan(line, &time, &kind, &n, &name)
		switch kind {
		case ">":
			b = appendRecord(b, time, typeEntry, n, at(name), nil)
		case "<":
			b = appendRecord(b, time, typeExit, n, at(name), nil)
		case "lost":
			b = appendRecord(b, 0, typeLost, 77, uint64(n), nil)
		default:
			panic(line)
		}
	}
	return b
}

// files returns the directory as a file system.
func (d directory) files() fstest.MapFS {
	m := fstest.MapFS{}
	for name, content := range d {
		m[name] = &fstest.MapFile{Data: []byte(content), ModTime: time.Unix(0, 0)}
	}
	return m
}

// converted converts a directory, and returns the trace, what was left out, and the fault of the input.
func (d directory) converted(t testing.TB) (*readback.Trace, map[string]int64, error) {
	t.Helper()
	var data, index, times bytes.Buffer
	w := calltrace.New(tracefile.Files{Data: &data, Index: &index, Times: &times}, calltrace.Options{})
	defer w.Discard()
	fault := convert(context.Background(), &folder{files: d.files(), path: "data"}, "", nil, w)
	sum, err := w.Finish(context.Background())
	if err != nil {
		t.Fatalf("%v; the input: %v", err, fault)
	}
	trace, err := readback.Read(data.Bytes(), index.Bytes(), times.Bytes())
	if err != nil {
		t.Fatalf("the trace cannot be read: %v", err)
	}
	left := make(map[string]int64)
	for _, l := range sum.LeftOut {
		left[l.What] = l.Count
	}
	// A file that is cut short or damaged is told in two ways.
	told := errors.Is(fault, format.ErrTruncated) || errors.Is(fault, format.ErrCorrupt)
	if counted := damagedFiles(left) > 0; counted && fault == nil {
		t.Errorf("%v are left out without a fault", left)
	} else if counted && told {
		fault = nil
	}
	return trace, left, fault
}

func damagedFiles(left map[string]int64) (n int64) {
	for _, why := range []fit.Reason{cutShort, damagedParts} {
		n += left[why.One] + left[why.Several]
	}
	return n
}

// treeOf returns the threads and calls of a trace, with their times: name(args): result @start+duration.
func treeOf(trace *readback.Trace) string {
	var b strings.Builder
	for _, thread := range trace.Threads {
		fmt.Fprintf(&b, "# %s\n", thread.Name)
		thread.Walk(func(p *readback.Point, depth int) {
			b.WriteString(strings.Repeat("  ", depth) + p.String())
			if !p.Variable {
				fmt.Fprintf(&b, " @%d+%d", p.Start, p.Dur)
			}
			b.WriteByte('\n')
		})
	}
	return b.String()
}

// expect fails unless a directory has the calls and nothing else is left out than what is listed, as in
// "2 calls whose ends were not recorded".
func (d directory) expect(t *testing.T, want string, leftOut ...string) {
	t.Helper()
	trace, left, err := d.converted(t)
	if err != nil {
		t.Fatal(err)
	}
	if got := treeOf(trace); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, l := range leftOut {
		number, what, _ := strings.Cut(l, " ")
		if got := fmt.Sprint(left[what]); got != number {
			t.Errorf("%s %s are left out, want %s", got, what, number)
		}
		delete(left, what)
	}
	if len(left) > 0 {
		t.Errorf("left out too: %v", left)
	}
}

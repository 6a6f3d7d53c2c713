package uftrace

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// words returns numbers of eight bytes.
func words(list ...uint64) (b []byte) {
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// str returns a string as a value: its size, its bytes, padding.
func str(s string) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(s)))
	b = append(b, s...)
	return append(b, make([]byte, align(len(b), valueAlign))...)
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

var le = binary.LittleEndian

// valueCases are specifications of arguments, their bytes, and the call.
var valueCases = []struct {
	spec string
	data []byte
	want string
}{
	{"arg1", words(7), "f(7)"},
	{"arg1,arg2,arg3", words(math.MaxUint64, 0xffffffff, 0xffff0000), "f(-1, -1, 4294901760)"},
	{"arg1,arg2", words(0x7ffd12345678, 1700000000000000000), "f(0x7ffd12345678, 1700000000000000000)"},
	{"arg1/i8,arg2/i16,arg3/i32,arg4/i64", join(words(0xff)[:4], words(0xfffe)[:4], words(0xfffffffd)[:4], words(math.MaxUint64-3)), "f(-1, -2, -3, -4)"},
	{"arg1/d8,arg2/d32", join(words(0x80)[:4], words(100_001)[:4]), "f(-128, 100001)"},
	{"arg1/u8,arg2/u32,arg3/u", join(words(0xff)[:4], words(0xffffffff)[:4], words(math.MaxUint64)), "f(255, 4294967295, 18446744073709551615)"},
	{"arg1/x16,arg2/x,arg3/x32", join(words(0xbeef)[:4], words(math.MaxUint64), words(0)[:4]), "f(0xbeef, 0xffffffffffffffff, 0)"},
	{"arg1/o32", words(0o755)[:4], "f(0755)"},
	{"arg1/c,arg2/c", join([]byte("a\x00\x00\x00"), []byte{0xe9, 0, 0, 0}), "f('a', 'é')"},
	{"arg1/s", str("hello"), `f("hello")`},
	{"arg1/s,arg2/S,arg3/i32", join(str(""), str("std"), words(5)[:4]), `f("", "std", 5)`},
	{"arg1/s", str("\xff\xff\xff\xff"), "f(null)"},
	{"fparg1", words(math.Float64bits(1.5)), "f(1.5)"},
	{"fparg1/32,fparg2/64", join(le.AppendUint32(nil, math.Float32bits(-0.25)), words(math.Float64bits(1e300))), "f(-0.25, 1.0E300)"},
	{"arg1/f32", le.AppendUint32(nil, math.Float32bits(2)), "f(2.0)"},
	// 1.25 and minus infinity as extended numbers.
	{"fparg1/80,fparg2/80%stack+2", join(words(0xa000000000000000), []byte{0xff, 0x3f, 0, 0}, words(1<<63), []byte{0xff, 0xff, 0, 0}), "f(1.25, -Infinity)"},
	{"arg1/p,arg2/p,arg3/p", words(0, 0x401004, 0x7ffd00001000), "f(null, &f+0x4, 0x7ffd00001000)"},
	{"arg1/p%rdi,arg2/p%stack+3", words(0x400000, 1), "f(&main, 0x1)"},
	{"arg1/e:color,arg2/e:color,arg3/e:color", words(4, 12, 100), "f(GREEN, BLUE|GREEN, BLUE|GREEN+0x58)"},
	{"arg1/e:sign,arg2/e:sign,arg3/e:unknown,arg4/e:color", words(0xffffffff, math.MaxUint64, 3, 0), "f(MINUS, MINUS, 3, 0)"},
	{"arg1/t8:point%RDI,arg2/t3,arg3/t0:empty,arg4/t5:<lambda%RSI+RDX,arg5/i32", join(words(1), words(1)[:4], words(1), words(6)[:4]),
		"f(point{…}, {…}, empty{}, {…}, 6)"},
	// A later specification for the same argument replaces the earlier.
	{"arg1/i32,arg2/s,arg1/x32", join(words(31)[:4], str("x")), `f(0x1f, "x")`},
}

func TestValues(t *testing.T) {
	for _, c := range valueCases {
		d := newDirectory("argspec:lines=2", "argspec:f@"+c.spec, "enumauto:enum color {GREEN = 04,BLUE=0x8,};enum sign { MINUS = -1, ZERO, PLUS };")
		records := appendRecord(nil, 10, typeEntry, 0, at("f"), c.data)
		d["100.dat"] = string(appendRecord(records, 20, typeExit, 0, at("f"), nil))
		t.Run(c.spec, func(t *testing.T) { d.expect(t, "# program 100 › main\n"+c.want+" @0+10\n") })
	}
}

// TestResults: the first specification of a result is its value, the others are read over.
func TestResults(t *testing.T) {
	d := newDirectory("argspec:lines=2", "retspec:f@retval/i32;f@retval/f32")
	records := appendRecord(nil, 10, typeEntry, 0, at("f"), nil)
	d["100.dat"] = string(appendRecord(records, 20, typeExit, 0, at("f"), words(9|0x40000000<<32)))
	d.expect(t, "# program 100 › main\nf(): 9 @0+10\n")
}

// TestNarrow: on a 32-bit machine a word has four bytes.
func TestNarrow(t *testing.T) {
	d := newDirectory("argspec:f@arg1,arg2/p,arg3/u,arg4/i64", "cpuinfo:desc=ARMv7", "retspec:f@retval/f80")
	d[infoFile] = header(class32, 0, 1024) + d[infoFile][headerSize:]
	data := join(words(0xfffffffe)[:4], words(0x400000)[:4], words(0xffffffff)[:4], words(12))
	records := appendRecord(nil, 10, typeEntry, 0, at("f"), data)
	d["100.dat"] = string(appendRecord(records, 20, typeExit, 0, at("f"), words(math.Float64bits(0.5))))
	d.expect(t, "# program 100 › main\nf(-2, &main, 4294967295, 12): 0.5 @0+10\n")
}

// TestUnknownLayout: after values whose types are unknown, the next record is found.
func TestUnknownLayout(t *testing.T) {
	d := newDirectory()
	records := appendRecord(nil, 1000, typeEntry, 0, at("main"), words(1, 2, 3))
	records = appendRecord(records, 1010, typeEntry, 1, at("f"), []byte(strings.Repeat("some text", 9)))
	records = appendRecord(records, 1020, typeExit, 1, at("f"), words(math.MaxUint64, 0x2c, 9))
	d["100.dat"] = string(appendRecord(records, 1030, typeExit, 0, at("main"), nil))
	d.expect(t, "# program 100 › main\nmain() @0+30\n  f() @10+10\n", "3 calls with values of unknown types")
}

// TestBadSpecs: what is no specification does not make one.
func TestBadSpecs(t *testing.T) {
	for _, s := range []string{"", "arg", "arg0", "argx", "arg1/", "arg1/z", "arg1/i7", "arg1/i80", "arg1/e", "arg1/e:", "arg1x", "fparg", "fparg1/12",
		"arg99999999999", "arg1/t99999999", "arg1/i32x", "value"} {
		if got, ok := parseSpec(s, &info{wordSize: 8}); ok {
			t.Errorf("%q is %+v", s, got)
		}
	}
}

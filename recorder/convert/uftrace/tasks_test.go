package uftrace

import (
	"fmt"
	"strings"
	"testing"
)

// TestThreads: each task is a thread, in order of the first records.
func TestThreads(t *testing.T) {
	d := newDirectory()
	d[tasksFile] += "TASK timestamp=0.000000050 tid=102 pid=100\nTASK timestamp=0.000000060 tid=101 pid=100\n"
	d["100.dat"] = string(story("10 > 0 main\n20 < 0 main"))
	d["102.dat"] = string(story("13 > 0 f\n14 < 0 f"))
	d["101.dat"] = string(story("0 lost 3\n12 > 0 g\n15 < 0 g"))
	d["103.dat"] = ""
	d["77.dat"] = string(story("18 > 0 f\n19 < 0 f")) // not in the list
	d.expect(t, `# program 100 › main
main() @0+10
# program 100 › thread 101
g() @2+3
# program 100 › thread 102
f() @3+1
# program 77 › main
f() @8+1
`, "3 records that the recorder lost")
}

// TestFork: a process begins with the calls that its parent was in.
func TestFork(t *testing.T) {
	d := newDirectory()
	d[tasksFile] += "FORK timestamp=0.000000030 pid=200 ppid=100\n"
	d["100.dat"] = string(story("10 > 0 main\n20 > 1 fork\n25 < 1 fork\n28 > 1 g\n40 < 1 g\n50 < 0 main"))
	d["200.dat"] = string(story("32 < 1 fork\n35 > 1 f\n36 < 1 f\n38 < 0 main"))
	d.expect(t, `# program 100 › main
main() @0+40
  fork() @10+5
  g() @18+12
# program 200 › main
main() @22+6
  fork() @22+0
  f() @25+1
`, "2 calls of parent processes, open when they forked; they begin anew")
	// Without library calls, these are the calls that are open at the time.
	d["100.dat"] = string(story("10 > 0 main\n20 > 1 f\n40 < 1 f\n50 < 0 main"))
	d["200.dat"] = string(story("35 > 2 g\n36 < 2 g\n38 < 1 f"))
	d.expect(t, `# program 100 › main
main() @0+40
  f() @10+20
# program 200 › main
main(): unfinished @25+3
  f() @25+3
    g() @25+1
`, "2 calls of parent processes, open when they forked; they begin anew")
	// What contradicts the parent's calls is not taken from it.
	d["200.dat"] = string(story("35 < 1 g\n36 > 0 h\n37 < 0 h"))
	d.expect(t, `# program 100 › main
main() @0+40
  f() @10+20
# program 200 › main
h() @26+1
`, "1 end of a call without its beginning")
}

// TestExec: from the time of a session on, addresses are those of another program.
func TestExec(t *testing.T) {
	d := newDirectory()
	d[tasksFile] += "SESS timestamp=0.000000030 pid=100 sid=8765432187654321 exename=\"/bin/my other\"\nTASK timestamp=0.000000031 tid=100 pid=100\n"
	d["sid-8765432187654321.map"] = "400000-401000 r-xp 00000000 00:00 0 /bin/other build-id:1a2b3c\n"
	d["other.sym"] = "# path name: /bin/other\n# build-id: 1a2b3c\n0000000000000000 00000100 T second\n0000000000000100 00000100 T third\n"
	d["100.dat"] = string(story("10 > 0 main\n20 > 1 f\n40 > 0 main\n50 < 0 main"))
	d.expect(t, `# my other 100 › main
main(): unfinished @0+30
  f(): unfinished @10+20
second() @30+10
`, "2 calls whose ends were not recorded")
}

// TestLibraries: dlopen may load several libraries at one address, one after the other.
func TestLibraries(t *testing.T) {
	d := newDirectory()
	for i, name := range []string{"one", "two"} {
		d[tasksFile] += fmt.Sprintf("DLOP timestamp=0.0000000%d tid=100 sid=1234567812345678 base=900000 libname=\"/lib/%s.so\"\n", 20+20*i, name)
		d[name+".so.sym"] = "# path name: /lib/" + name + ".so\n0000000000000000 T " + name + "\n0000000000001000 ? __sym_end\n"
	}
	var b []byte
	for i := range uint64(3) {
		b = appendRecord(b, 10+20*i, typeEntry, 0, 0x900010, nil)
		b = appendRecord(b, 15+20*i, typeExit, 0, 0x900010, nil)
	}
	d["100.dat"] = string(b)
	d.expect(t, "# program 100 › main\n<addr 0x900010>() @0+5\none() @20+5\ntwo() @40+5\n")
}

// TestDebugOfLibraries: the path of a library that dlopen loaded may be relative, but not that in its debug
// information. Their build ids are equal.
func TestDebugOfLibraries(t *testing.T) {
	d := newDirectory("auto-args:1")
	d[tasksFile] += "DLOP timestamp=0.000000005 tid=100 sid=1234567812345678 base=900000 libname=\"./lib.so\"\n"
	d["lib.so.sym"] = "# path name: ./lib.so\n# build-id: 1a2b\n0000000000000000 00001000 T lib\n"
	d["lib.so.dbg"] = "# path name: /lib/lib.so\n# build-id: 1a2b\nF: 0 lib\nL: 3 lib.c\nA: @arg1\n"
	b := appendRecord(nil, 10, typeEntry, 0, 0x900010, words(5))
	d["100.dat"] = string(appendRecord(b, 15, typeExit, 0, 0x900010, nil))
	d.expect(t, "# program 100 › main\nlib(5) @0+5\n")
}

// TestNamesTwice: several mapped files may have one name. The files about them have four digits more.
func TestNamesTwice(t *testing.T) {
	d := newDirectory()
	d["sid-1234567812345678.map"] = "400000-500000 r-xp 00000000 00:00 0 /bin/program\n" +
		"600000-601000 r-xp 00000000 00:00 0 /a/lib.so build-id:aaaa11\n602000-603000 r-xp 00000000 00:00 0 /a/lib.so build-id:aaaa11\n" +
		"700000-701000 r-xp 00000000 00:00 0 /b/lib.so build-id:bbbb22\n800000-801000 r-xp 00000000 00:00 0 /c/lib.so\n"
	d["lib.so.sym"] = "# path name: /a/lib.so\n# build-id: aaaa11\n0000000000000000 T a\n0000000000002f00 T far\n0000000000003000 ? __sym_end\n"
	d["lib.so-bbbb.sym"] = "# path name: /b/lib.so\n# build-id: bbbb22\n0000000000000000 T b\n0000000000001000 ? __sym_end\n"
	d["lib.so-0300.sym"] = "0000000000000000 T c\n0000000000001000 ? __sym_end\n"
	var b []byte
	for i, address := range []uint64{0x600010, 0x602f80, 0x700010, 0x800010, 0x950000} {
		b = appendRecord(b, 10+uint64(i), typeEntry, i, address, nil)
	}
	d["100.dat"] = string(b)
	sum := 0
	for _, c := range []byte("/c/lib.so") {
		sum += int(c)
	}
	d[fmt.Sprintf("lib.so-%04x.sym", sum)] = d["lib.so-0300.sym"]
	trace, _, err := d.converted(t)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for p := trace.Threads[0].Roots; len(p) > 0; p = p[0].Children {
		names = append(names, p[0].Name)
	}
	if got := strings.Join(names, " "); got != "a far b c <addr 0x950000>" {
		t.Errorf("the functions are %s", got)
	}
}

// TestPython: Python's functions have numbers for addresses.
func TestPython(t *testing.T) {
	d := newDirectory()
	d["python.fake.sym"] = "# symbols: 3\n# path name: python.fake\n#            \n0000000000000001 T __main__.<module>\n0000000000000002 T os.path.join\n" +
		"0000000000000003 P len\n0000000000000004 ? __sym_end\n"
	d["python.fake.dbg"] = "# path name: python.fake\nF: 1 __main__.<module>\nL: 1 /tmp/x.py\nF: 2 os.path.join\nL: 71 posixpath.py\n"
	var b []byte
	for i, address := range []uint64{1, 2, 3} {
		b = appendRecord(b, 10+uint64(i), typeEntry, i, address, nil)
	}
	d["100.dat"] = string(b)
	trace, _, err := d.converted(t)
	if err != nil {
		t.Fatal(err)
	}
	root := trace.Threads[0].Roots[0]
	join := root.Children[0]
	if root.Name != "__main__.<module>" || root.Place != "/tmp/x.py:1" || join.Name != "os.path.join" || join.Place != "posixpath.py:71" || join.Children[0].Name != "len" {
		t.Errorf("the calls are\n%s", treeOf(trace))
	}
}

// TestBadLists: what is not understood in lists is counted, and does no harm.
func TestBadLists(t *testing.T) {
	d := newDirectory()
	d[tasksFile] += strings.Join([]string{"", "SESS", "SESS timestamp=1.000000000 pid=x sid=1 exename=\"x\"", "TASK timestamp=1 tid=-5 pid=5", "FORK timestamp=1.000000000 pid=0 ppid=0",
		"DLOP timestamp=1.000000000 tid=1 sid=unknown base=0 libname=\"x\"", "NEWS timestamp=1.000000000", "TASK timestamp=99999999999999999999.1 tid=1 pid=1",
		// A circle of parents.
		"FORK timestamp=0.000000003 pid=301 ppid=302", "FORK timestamp=0.000000003 pid=302 ppid=301"}, "\n")
	d["sid-1234567812345678.map"] += "nonsense\n7-6 r-xp 0 0 0 /x\n500000-600000 r-xp 00000000 00:00 0\n"
	d["program.sym"] += "x\n00 T\n00 0x T y\n0000000000000000 T again\n0000000000000004 q other\n"
	d["program.dbg"] = "F: x y\nL: 1\nQ: 7\nE: enum {\nno\n"
	d["301.dat"] = string(story("10 > 0 main\n20 < 0 main"))
	d.expect(t, "# program 301 › main\nmain() @0+10\n", "16 lines that are not understood")
}

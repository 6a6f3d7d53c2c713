package uftrace

import (
	"strings"
	"testing"
)

// stories are the records of a thread, and the calls that they are.
var stories = []struct {
	name    string
	records string
	want    string
	left    []string
}{
	{"calls in calls", `
10 > 0 main
20 > 1 f
30 < 1 f
40 > 1 g
50 > 2 f
60 < 2 f
70 < 1 g
80 < 0 main`, `# program 100 › main
main() @0+70
  f() @10+10
  g() @30+30
    f() @40+10
`, nil},
	{"several roots", "10 > 0 main\n20 < 0 main\n30 > 0 main\n35 < 0 main", "# program 100 › main\nmain() @0+10\nmain() @20+5\n", nil},
	{"recursion", "1 > 0 f\n2 > 1 f\n3 > 2 f\n4 < 2 f\n5 < 1 f\n6 < 0 f", "# program 100 › main\nf() @0+5\n  f() @1+3\n    f() @2+1\n", nil},
	{"killed", "10 > 0 main\n20 > 1 f\n25 > 2 g\n30 < 2 g", "# program 100 › main\nmain(): unfinished @0+20\n  f(): unfinished @10+10\n    g() @15+5\n", nil},
	{"calls that are left", "10 > 0 main\n20 > 1 f\n30 > 2 g\n40 > 3 h\n50 < 0 main", `# program 100 › main
main() @0+40
  f(): unfinished @10+30
    g(): unfinished @20+20
      h(): unfinished @30+10
`, []string{"3 calls whose ends were not recorded"}},
	{"an exception that is caught", "10 > 0 main\n20 > 1 f\n30 > 2 g\n40 > 1 h\n50 < 1 h\n60 < 0 main", `# program 100 › main
main() @0+50
  f(): unfinished @10+20
    g(): unfinished @20+10
  h() @30+10
`, []string{"2 calls whose ends were not recorded"}},
	{"longjmp", "10 > 0 main\n20 > 1 _setjmp\n30 < 1 _setjmp\n40 > 1 f\n50 > 2 g\n60 < 1 _setjmp\n70 > 1 h\n80 < 1 h\n90 < 0 main", `# program 100 › main
main() @0+80
  _setjmp() @10+10
  f(): unfinished @30+20
    g(): unfinished @40+10
  h() @60+10
`, []string{"2 calls whose ends were not recorded"}},
	{"exec", "10 > 0 main\n20 > 1 f\n30 > 0 main\n40 < 0 main", "# program 100 › main\nmain(): unfinished @0+20\n  f(): unfinished @10+10\nmain() @20+10\n",
		[]string{"2 calls whose ends were not recorded"}},
	{"ends without beginnings", "10 < 1 f\n20 < 0 main\n30 > 0 g\n40 < 0 g", "# program 100 › main\ng() @20+10\n", []string{"2 ends of calls without their beginning"}},
	{"another call ends", "10 > 0 main\n20 > 1 f\n30 < 1 g\n40 < 0 main", "# program 100 › main\nmain() @0+30\n  f(): unfinished @10+10\n",
		[]string{"1 end of a call without its beginning", "1 call whose end was not recorded"}},
	{"lost records", "10 > 0 main\n20 > 1 f\n0 lost 5\n50 > 2 g\n60 < 2 g\n70 < 1 h\n80 < 0 main", `# program 100 › main
main() @0+70
  f(): unfinished @10+50
    g() @40+10
`, []string{"5 records that the recorder lost", "1 call whose end was not recorded", "1 end of a call without its beginning"}},
	{"an end that is lost", "10 > 0 f\n20 > 1 f\n0 lost 1\n40 < 0 f", "# program 100 › main\nf() @0+30\n  f(): unfinished @10+20\n",
		[]string{"1 record that the recorder lost", "1 call whose end was not recorded"}},
	// The records of QEMU's plugin.
	{"ends one lower", "10 > 0 main\n20 > 1 f\n30 > 2 f\n35 > 3 g\n38 < 2 g\n40 < 1 f\n50 < 0 f\n60 < 1023 main", `# program 100 › main
main() @0+50
  f() @10+30
    f() @20+10
      g() @25+3
`, nil},
	{"times that go back", "10 > 0 main\n30 > 1 f\n20 < 1 f\n40 < 0 main", "# program 100 › main\nmain() @0+30\n  f() @20+0\n",
		[]string{"1 time before that of the event before; moved to it"}},
}

func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			d := newDirectory()
			d["100.dat"] = string(story(strings.TrimPrefix(s.records, "\n")))
			d.expect(t, s.want, s.left...)
		})
	}
}

package interop

import "testing"

// recordings are what the tests record.
var recordings = []struct {
	name    string
	sources []string
	options []string
	args    []string
	// What the comparison must have seen, so that it cannot pass by having nothing to compare.
	calls, values, unending, events int
}{
	{"plain", []string{"values.c"}, nil, nil, 1000, 0, 5, 0},
	{"all values", []string{"values.c"}, []string{"-a"}, nil, 1000, 2000, 5, 0},
	{"lines", []string{"values.c"}, []string{"-a", "--srcline"}, nil, 1000, 2000, 5, 0},
	{"given values", []string{"values.c"}, []string{"-A", "fib@arg1/i32", "-R", "fib@retval/i32", "-A", "greet@arg1/s;scale@fparg1,fparg2/32,arg1/c",
		"-A", "integers@arg1/x,arg2/u8,arg3/x16,arg4/i16,arg5/i64,arg6/u32", "-R", "^(mix|sign|greet)$@retval/x32", "-A", "pointers@arg2/p,arg1/p", "-R", "letter@retval/c"},
		nil, 1000, 100, 5, 0},
	{"patterns", []string{"values.c"}, []string{"--match", "glob", "-A", "f*b@arg1/d32", "-R", "[a-g]*@retval/d32", "-A", "printf@arg1/s"}, nil, 1000, 1000, 5, 0},
	{"some of all", []string{"values.c"}, []string{"-a", "-A", "mix@arg2/d32", "-A", "deep@arg1/x32"}, nil, 1000, 1000, 5, 0},
	{"shallow", []string{"values.c"}, []string{"-a", "-D", "3"}, nil, 50, 50, 1, 0},
	{"filtered", []string{"values.c"}, []string{"-a", "-F", "jumper", "-F", "fib", "-F", "worker"}, nil, 50, 50, 1, 0},
	{"no library calls", []string{"values.c"}, []string{"-a", "--no-libcall"}, nil, 1000, 2000, 0, 0},
	// Without jumper: uftrace shows the calls after a longjmp wrongly if it did not record setjmp.
	{"slow calls", []string{"values.c"}, []string{"-a", "-t", "1us", "-N", "jumper"}, nil, 5, 5, 0, 0},
	{"read", []string{"values.c"}, []string{"-T", "greet@read=page-fault", "-T", "fork@read=proc/statm", "-W", "cpu"}, nil, 1000, 0, 5, 5},
	{"C++", []string{"shapes.cpp", "plug.c", "other.c"}, []string{"-a"}, nil, 50, 50, 0, 0},
	{"nested library calls", []string{"shapes.cpp", "plug.c", "other.c"}, []string{"-a", "--nest-libcall"}, nil, 50, 50, 0, 0},
	{"killed", []string{"shapes.cpp", "plug.c", "other.c"}, []string{"-a"}, []string{"now"}, 50, 50, 1, 0},
}

// TestRecordings: each call of a recording, with its arguments, result, depth and times, is as uftrace
// prints it.
func TestRecordings(t *testing.T) {
	outer := t
	needInterop(t)
	programs := make(map[string]program)
	for _, r := range recordings {
		t.Run(r.name, func(t *testing.T) {
			p, ok := programs[r.sources[0]]
			if !ok {
				p = compile(outer, r.sources...)
				programs[r.sources[0]] = p
			}
			dir := p.record(t, append([]string{"--no-event"}, r.options...), r.args...)
			trace, sum := imported(t, dir)
			c := compare(t, trace, replayed(t, p, dir))
			t.Logf("%d calls, %d arguments, %d results, %d without an end, %d events; left out: %v", c.calls, c.args, c.results, c.unending, c.events, sum.LeftOut)
			if c.calls < r.calls || c.args+c.results < r.values || c.unending < r.unending || c.events < r.events {
				t.Errorf("less was compared than expected: %+v", c)
			}
		})
	}
}

//go:build linux

package recordtest_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// callsMain calls functions in every way there is. Each call has a number of its own, as its receiver or as
// an argument, which ends the line of the call; where the library calls, the number is followed by its
// file.
const callsMain = `package main

import (
	"reflect"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"
)

type shape interface{ area() int }
type Shape interface{ Area(int) int }
type square struct{ n int }

func (s square) area() int      { return s.n }
func (s square) Area(n int) int { return n }

type named struct {
	square
	name string
}
type base struct{ at int }

func (b *base) Area(n int) int { return n }

type pointer struct{ *base }
type holder struct{ Shape }

type list[T any] struct{ items []T }

func (l *list[T]) put(x T) int    { return 0 }
func (l list[T]) has(x T) bool    { return false }

type lister[T any] interface {
	put(T) int
	has(T) bool
}

func same[T any](x T) T { return x }

func apply[T any](x T, f func(T) T) {
	f(x) // 108 114
}

func work(n int) int { return n }

type ordered []int

func (o ordered) Len() int           { return len(o) }
func (o ordered) Less(i, j int) bool { work(116); return o[i] < o[j] } // 116
func (o ordered) Swap(i, j int)      {}

func sequence(yield func(int) bool) {
	for i := 190; i < 192 && yield(i); i++ {
	}
}

func methods() {
	for _, s := range []shape{square{100}, &square{100}, named{square{100}, ""}, &named{square{100}, ""}} {
		s.area() // 100
	}
	f := square{101}.area
	f() // 101
	g := (*square).area
	g(&square{102}) // 102
	h := shape.area
	h(square{103}) // 103
	for _, s := range []Shape{pointer{&base{}}, &pointer{&base{}}, holder{&base{}}, &holder{pointer{&base{}}}, square{}} {
		s.Area(104) // 104
		k := s.Area
		k(105) // 105
	}
	var l lister[int] = &list[int]{}
	l.put(106) // 106
	l.has(107) // 107
	apply(108, same) // 108
	m := (&list[int]{}).put
	m(109) // 109
	e := (*list[int]).has
	e(&list[int]{}, 110) // 110
}

func library() {
	reflect.ValueOf(square{}).Method(0).Call([]reflect.Value{reflect.ValueOf(111)}) // 111 value.go
	reflect.ValueOf(work).Call([]reflect.Value{reflect.ValueOf(112)}) // 112 value.go
	v := reflect.ValueOf(&square{}).Method(0).Interface().(func(int) int)
	v(113) // 113
	apply(114, reflect.MakeFunc(reflect.TypeOf(work), func(a []reflect.Value) []reflect.Value { // 114
		return []reflect.Value{reflect.ValueOf(work(115))} // 115
	}).Interface().(func(int) int))
	sort.Sort(sort.Reverse(ordered{1, 2}))
	slices.SortFunc([]int{1, 2}, func(a, b int) int {
		return work(117) // 117
	})
	var once sync.Once
	once.Do(func() { work(118) }) // 118
}

func deferred(s shape, b Shape) {
	defer s.area() // 120
	defer b.Area(121) // 121
	f := b.Area
	defer f(122) // 122
	for i := 123; i < 125; i++ {
		defer work(i) // 123 124
	}
	for i := 125; i < 127; i++ {
		defer func() { work(i) }() // 125 126
	}
	func() {
		for range 2 {
			defer func(n int) {
				work(n) // 127
			}(127) // 127
		}
	}()
	defer func() { recover() }()
	panic(1)
}

func ranges() {
	for i := range sequence {
		work(i) // 190 191
		defer work(i + 2) // 192 193
	}
}

func goroutines() {
	var wg sync.WaitGroup
	d := doner{&wg, 0}
	wg.Add(9)
	go func() { // literal0
		work(130) // 130
		wg.Done()
	}()
	go func(n int) { // 131
		wg.Done()
	}(131)
	go done(&wg, 132) // 132
	go d.done(133) // 133
	f := d.done
	go f(134) // 134
	var i interface{ done(int) } = d
	go i.done(135) // 135
	g := i.done
	go g(136) // 136
	go generic(&wg, 137) // 137
	n := doner{&wg, 138}.none
	go n() // 138
	wg.Wait()
	wg.Go(func() { work(139) }) // 139
	wg.Wait()
	c := make(chan bool)
	time.AfterFunc(1, func() { work(140); close(c) }) // 140
	<-c
}

func done(wg *sync.WaitGroup, n int)           { wg.Done() }
func generic[T any](wg *sync.WaitGroup, n T)   { wg.Done() }

type doner struct {
	wg *sync.WaitGroup
	n  int
}

func (d doner) done(n int) { d.wg.Done() }
func (d doner) none()      { d.wg.Done() }

type finalized struct {
	n int
	p *int
}

func finalizer() {
	done := make(chan bool)
	runtime.SetFinalizer(&finalized{150, new(int)}, func(f *finalized) { work(150); close(done) }) // 150
	for again := true; again; {
		runtime.GC()
		select {
		case <-done:
			again = false
		default:
			time.Sleep(1)
		}
	}
}

func main() {
	methods()
	library()
	deferred(square{120}, square{}) // 120
	ranges()
	goroutines()
	finalizer()
}
`

// TestCallPlaces: a call is at the line that calls, whatever the compiler and the runtime have put between,
// and in the function of that line.
func TestCallPlaces(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": "module example.com/calls\n\ngo 1.25\n", "main.go": callsMain})
	number := regexp.MustCompile(`\b1\d\d\b`)
	function := regexp.MustCompile(`^func (?:\([^)]*\) )?(\w+)`)
	type spot struct {
		file, function string
		line           int
	}
	want, in := map[string][]spot{}, ""
	for i, line := range strings.Split(callsMain, "\n") {
		if m := function.FindStringSubmatch(line); m != nil {
			in = m[1]
		}
		_, comment, _ := strings.Cut(line, " // ")
		for _, n := range number.FindAllString(comment, -1) {
			s := spot{"main.go", in, i + 1}
			if _, file, ok := strings.Cut(comment, n+" "); ok && strings.HasSuffix(file, ".go") {
				s = spot{file: file}
			}
			want[n] = append(want[n], s)
		}
	}
	flagged := [][]string{nil, {"-race"}, {"-gcflags=all=-N -l"}, {"-buildmode=pie"}}
	for _, flags := range flagged[:many(1, len(flagged))] {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace, "--", "go", "run"}, flags...), ".")...))
		seen := map[string]bool{}
		for line := range strings.Lines(must(t, runTracex(t, dir, nil, "print", "--json", trace)).stdout) {
			var e struct {
				Text  string
				Place struct {
					File, Class, Method string
					Line                int
				}
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			at := e.Place
			if e.Text == "" || strings.HasPrefix(e.Text, "go ") || strings.HasPrefix(e.Text, "library.func") || strings.HasPrefix(e.Text, "catch(") {
				continue // where recover was called is not known
			}
			if at.File == "" || at.Line == 0 || at.File == "<autogenerated>" || strings.HasSuffix(at.File, ".s") {
				t.Errorf("%q: %s has no place: %+v", flags, e.Text, at)
			}
			for _, n := range number.FindAllString(e.Text, 1) {
				ok := false
				for _, s := range want[n] {
					ok = ok || s.file == at.File && (s.line == 0 || s.line == at.Line && (at.Method + ".")[:len(s.function)+1] == s.function+".")
				}
				if seen[n] = true; !ok {
					t.Errorf("%q: %s is at %+v, expected %+v", flags, e.Text, at, want[n])
				}
			}
		}
		for n := range want {
			if !seen[n] {
				t.Errorf("%q: no call has the number %s", flags, n)
			}
		}
	}
}

//go:build tracexrt

// Command selfcheck tests the archive with the runtime that it is linked with. It records itself,
// reads the recording, and compares it with what it did. It prints a line for each check, "ok NAME"
// or "bad NAME: what". It is built once for each version of Go, with the archive's sources.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracex/recorder/instrument/raw"
	"tracexrt"
)

var functions = [...]tracexrt.Func{
	{Name: "plain", Pkg: "main", Args: "a,s", Res: 1}, {Name: "panics", Pkg: "main"}, {Name: "exits", Pkg: "main"},
	{Name: "child", Pkg: "main", Args: "n"}, {Name: "whole", Pkg: "main", Args: "p,m"}, {Name: "deep", Pkg: "main", Args: "n", Res: 1},
	{Name: "point.through", Pkg: "main"}, {Name: "see", Pkg: "main", Args: "p"},
}

func plain(a int, s string) (r int) {
	k := tracexrt.Enter(&functions[0], a, s)
	defer tracexrt.Exit(k, &r)
	return a + len(s)
}

func panics() {
	k := tracexrt.Enter(&functions[1])
	defer tracexrt.Exit(k)
	panic("planted")
}

func exits() {
	k := tracexrt.Enter(&functions[2])
	defer tracexrt.Exit(k)
	runtime.Goexit()
}

// deep makes the stack move.
func deep(n int) (r int) {
	k := tracexrt.Enter(&functions[5], n)
	defer tracexrt.Exit(k, &r)
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

type point struct{ x, why int }

func whole(p point, m map[string]int) {
	k := tracexrt.Enter(&functions[4], tracexrt.V(&p), m)
	defer tracexrt.Exit(k)
}

// numbered returns a map of numbers to the same numbers and keyBase.
func numbered(n int) map[string]int {
	m := map[string]int{}
	for i := range n {
		m[strconv.Itoa(i)] = i + keyBase
	}
	return m
}

const (
	keyBase = 1 << 20
	several = 5000 // in a map that has a directory of tables
)

// through is called by a wrapper for *point.
func (p point) through() {
	k := tracexrt.Enter(&functions[through])
	defer tracexrt.Exit(k)
}

const through = 6 // in functions

// see is called with an object that survives collections, and with others of which one may be where another
// was.
func see(p *[8]int) {
	k := tracexrt.Enter(&functions[7], p)
	defer tracexrt.Exit(k)
}

var kept, last *[8]int

const collections = 5

// identity returns what the runtime says about the running goroutine.
func identity() (id, parent uint64) {
	b := make([]byte, 4096)
	text := string(b[:runtime.Stack(b, false)])
	fmt.Sscanf(text, "goroutine %d ", &id)
	if _, by, ok := strings.Cut(text, " in goroutine "); ok {
		fmt.Sscanf(by, "%d", &parent)
	}
	return id, parent
}

var (
	lock    sync.Mutex
	parents = map[uint64]uint64{}
)

func child(n int, done func()) {
	defer done()
	k := tracexrt.Enter(&functions[3], n)
	defer tracexrt.Exit(k)
	id, parent := identity()
	lock.Lock()
	parents[id] = parent
	lock.Unlock()
	if n == 1 {
		exits()
	}
}

const (
	oneByOne = 200
	atOnce   = 100
	levels   = 3000
)

func main() {
	id, _ := identity()
	parents[id] = 0
	heap := strings.Repeat("heap", 3)
	plain(1000, heap)
	plain(-1<<40, "data")
	plain(7, os.Args[1])
	whole(point{41, 42}, map[string]int{"a": 1, "b": 2})
	whole(point{41, 42}, numbered(several))
	func() {
		defer func() { recover() }()
		panics()
	}()
	deep(levels)
	for _, p := range []interface{ through() }{&point{}, point{}} {
		p.through()
	}
	kept = new([8]int)
	for range collections {
		see(kept)
		for range 64 {
			last = new([8]int)
			see(last)
		}
		runtime.GC()
	}
	for i := range oneByOne {
		var wait sync.WaitGroup
		wait.Add(1)
		go child(i, wait.Done)
		wait.Wait()
	}
	var all sync.WaitGroup
	all.Add(atOnce)
	for i := range atOnce {
		go child(1000+i, all.Done)
	}
	all.Wait()
	files, err := filepath.Glob(filepath.Join(os.Getenv(raw.FolderVariable), "*"+raw.Suffix))
	if err != nil || len(files) != 1 {
		fmt.Println("bad file:", len(files), "files", err)
		return
	}
	r, err := read(files[0])
	if err != nil {
		fmt.Println("bad file:", err)
		return
	}
	r.judge(heap)
}

type seen struct {
	functions map[uint32]*raw.Function
	types     map[string]*raw.Type
	events    map[uint32]int
	ids       map[uint64]goroutine
	texts     map[string]int
	numbers   map[int64]int
	balance   map[uint64]int // open calls of each g
	wrong     []string
	text      uint64   // address of the code
	callers   []string // of through
	entries   map[string]string
	objects   map[uint64]int
}

type goroutine struct{ parent, at, start uint64 }

func read(path string) (*seen, error) {
	f, err := raw.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &seen{
		functions: map[uint32]*raw.Function{}, types: map[string]*raw.Type{}, events: map[uint32]int{}, ids: map[uint64]goroutine{},
		texts: map[string]int{}, numbers: map[int64]int{}, balance: map[uint64]int{}, text: f.Head.Text, objects: map[uint64]int{},
		entries: map[string]string{},
	}
	for _, kind := range []uint32{raw.ChunkDescriptors, raw.ChunkEvents} {
		w := f.Window(1 << 20)
		for chunks := f.Chunks(w); ; {
			c, ok, err := chunks.Next(1 << 20)
			if err != nil {
				return r, err
			}
			if !ok {
				break
			}
			if c.Kind != kind {
				continue
			}
			data, seen, err := w.Read(c.Offset, c.Size)
			if err != nil {
				return r, err
			}
			if kind == raw.ChunkEvents {
				r.chunk(raw.Cursor{B: data, At: raw.ChunkHead}, c.Stream)
			} else {
				r.describe(raw.NewDescriptors(data[raw.ChunkHead:], seen[raw.ChunkHead:]))
			}
		}
	}
	return r, nil
}

func (r *seen) describe(d raw.Descriptors) {
	for {
		found, ok := d.Next()
		switch {
		case !ok:
			r.wrong = append(r.wrong, "a descriptor")
			return
		case found.Function != nil:
			r.functions[found.Function.ID] = found.Function
		case found.Type != nil:
			r.types[found.Type.Name] = found.Type
		case found.Results != nil:
		default:
			return
		}
	}
}

func (r *seen) chunk(c raw.Cursor, stream uint64) {
	for c.At+4 <= len(c.B) && binary.LittleEndian.Uint32(c.B[c.At:]) != 0 {
		word := c.U32()
		kind, f := word&(1<<raw.EventBits-1), r.functions[word>>raw.EventBits]
		if kind == raw.EventNext {
			return
		}
		r.events[kind]++
		c.U32() // time
		switch {
		case kind == raw.EventEnter && f != nil:
			pc := uint64(c.U32())
			if f.Name == functions[through].Name {
				r.callers = append(r.callers, nameOf(r.text+pc))
			}
			r.balance[stream]++
			r.values(&c, len(f.Arguments))
		case kind == raw.EventExit && f != nil:
			r.balance[stream]--
			r.values(&c, len(f.Results))
		case kind == raw.EventThrow, kind == raw.EventCatch:
			c.U64() // place
			r.values(&c, 1)
		case kind == raw.EventPanic:
			r.balance[stream]--
			r.values(&c, 1)
		case kind == raw.EventGoexit, kind == raw.EventUnwound:
			r.balance[stream]--
		case kind == raw.EventGoroutine:
			id := c.U64()
			r.ids[id] = goroutine{c.U64(), c.U64(), c.U64()}
			c.U64()
		case kind == raw.EventSync:
			c.U64()
		default:
			r.wrong = append(r.wrong, fmt.Sprint("an event of kind ", kind))
			return
		}
		c.Align(4)
		if c.Bad {
			r.wrong = append(r.wrong, fmt.Sprint("a damaged event of kind ", kind))
			return
		}
	}
}

// values reads values of the kinds that this program records.
func (r *seen) values(c *raw.Cursor, n int) {
	for range n {
		tag := c.U8()
		if tag == raw.ValueType {
			c.U32()
			tag = c.U8()
		}
		switch tag {
		case raw.ValueInt8:
			r.numbers[int64(int8(c.U8()))]++
		case raw.ValueInt32:
			r.numbers[int64(int32(c.U32()))]++
		case raw.ValueInt64:
			r.numbers[int64(c.U64())]++
		case raw.ValueString:
			r.texts[string(c.Take(int(c.U8())))]++
		case raw.ValueMap:
			c.Address()
			r.numbers[mapsOf+int64(c.U32())]++
		case raw.ValueEntries:
			c.Address()
			r.numbers[mapsOf+int64(c.U32())]++
			r.entry(c, int(c.U8()))
		case raw.ValueAddress:
			r.objects[c.Address()]++
		case raw.ValueStruct:
			r.values(c, 2)
		default:
			c.Bad = true
		}
	}
}

// entry reads the entries of a map, whose keys are texts and values numbers.
func (r *seen) entry(c *raw.Cursor, n int) {
	for range n {
		if c.U8() != raw.ValueString {
			c.Bad = true
			return
		}
		key := string(c.Take(int(c.U8())))
		switch c.U8() {
		case raw.ValueInt8:
			r.entries[key] = strconv.Itoa(int(int8(c.U8())))
		case raw.ValueInt32:
			r.entries[key] = strconv.Itoa(int(int32(c.U32())) - keyBase)
		default:
			c.Bad = true
			return
		}
	}
}

// mapsOf distinguishes lengths of maps from other numbers.
const mapsOf = 1 << 50

func (r *seen) judge(heap string) {
	say := func(name string, ok bool, what ...any) {
		if ok {
			fmt.Println("ok", name)
		} else {
			fmt.Println("bad "+name+":", fmt.Sprint(what...))
		}
	}
	say("events", len(r.wrong) == 0, r.wrong)
	open := 0
	for _, n := range r.balance {
		open += max(n, -n)
	}
	calls := 3 + 2 + 1 + levels + 1 + 2 + collections*65 + oneByOne + atOnce + 1
	say("calls", r.events[raw.EventEnter] == calls && open == 0 && r.events[raw.EventUnwound] == 0,
		r.events[raw.EventEnter], " of ", calls, ", ", open, " open, ", r.events[raw.EventUnwound], " unwound")
	same := len(r.ids) == len(parents)
	for id := range parents {
		if _, ok := r.ids[id]; !ok {
			same = false
		}
	}
	say("goroutines", same, len(r.ids), " of ", len(parents))
	right, places := true, true
	for id, parent := range parents {
		g := r.ids[id]
		right = right && g.parent == parent
		if parent != 0 {
			places = places && nameOf(g.start) != "" && strings.HasPrefix(nameOf(g.at), "main.main")
		}
	}
	say("parents", right)
	say("callers", slices.Equal(r.callers, []string{"main.main", "main.main"}), r.callers)
	say("places", places)
	say("panic", r.events[raw.EventPanic] == 1 && r.events[raw.EventThrow] == 1 && r.texts["planted"] == 2, r.events[raw.EventPanic], " panics, ", r.texts["planted"], " values")
	// child(1) and the call in it.
	say("goexit", r.events[raw.EventGoexit] == 2, r.events[raw.EventGoexit], " calls")
	say("strings", r.texts[heap] == 1 && r.texts["data"] == 1 && r.texts[os.Args[1]] == 1, strconv.Quote(fmt.Sprint(r.texts)))
	say("numbers", r.numbers[1000] >= 1 && r.numbers[-1<<40] == 1 && r.numbers[41] >= 1 && r.numbers[42] >= 1)
	again := 0
	for _, n := range r.objects {
		again += max(n-1, 0)
	}
	say("objects", again == collections-1, len(r.objects), " objects, ", again, " seen again")
	say("maps", r.numbers[mapsOf+2] == 1 && r.numbers[mapsOf+several] == 1)
	if len(r.entries) > 0 { // none: the runtime's maps are another kind
		ok := len(r.entries) == 2+8 && r.entries["a"] == "1" && r.entries["b"] == "2"
		delete(r.entries, "a")
		delete(r.entries, "b")
		for key, value := range r.entries {
			ok = ok && key == value
		}
		say("entries", ok, r.entries)
	}
	t := r.types["main.point"]
	say("types", t != nil && t.Package == "main" && len(t.Fields) == 2 && t.Fields[1].Name == "why" && r.types["map[string]int"] != nil)
}

func nameOf(pc uint64) string {
	if f := runtime.FuncForPC(uintptr(pc)); f != nil {
		return f.Name()
	}
	return ""
}

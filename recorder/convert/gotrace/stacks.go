package gotrace

import (
	"strconv"
	"strings"

	"golang.org/x/exp/trace"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/internal/gonames"
)

// stack is what is known of a stack of the trace. It is the same for all events that have it, until
// the next generation.
type stack struct {
	frames []frame
	at     int // of frames: what is shown as the place; -1 if there is none
	below  int // of frames: the first, from the innermost, that only started the goroutine
	places [formCount]calltrace.Place
	chain  string // see callers
	via    string
	known  bool // chain and via are made

	// What events that have the stack made of it last: most have it again and again.
	reason string // of state
	state  open   // of a goroutine that waits, or is in a system call
	waker  trace.GoID
	wakes  string
}

// frame is a call on a stack: the innermost is the first.
type frame struct {
	f    *function
	file string
	line int
}

// form is a combination of arguments that calls at a place have.
type form uint8

const (
	formNone form = iota
	formTask
	formLog
	formIn
	formAfter
	formNewTask
	formChildTask
	formGoroutine
	formCount
)

// forms has the names of the arguments of each form.
var forms = [formCount][]string{
	formNone:      nil,
	formTask:      {"task"},
	formLog:       {"category", "message"},
	formIn:        {"in"},
	formAfter:     {"after"},
	formNewTask:   {"id", "goroutine"},
	formChildTask: {"id", "goroutine", "parent"},
	formGoroutine: {"goroutine"},
}

const (
	mostFrames    = 128     // the runtime's limit: a stack of as many may lack its beginning
	mostFunctions = 1 << 16 // names of functions that are remembered
	mostShown     = 8       // frames in the text of a stack
)

// stacks knows the stacks of the current generation.
type stacks struct {
	to        *calltrace.Writer
	known     map[trace.Stack]*stack
	functions map[string]*function
	names     *gonames.Namer
	bare      stack // of events without a stack
}

func newStacks(to *calltrace.Writer) *stacks {
	return &stacks{to: to, known: map[trace.Stack]*stack{}, functions: map[string]*function{}, names: newNamer(to), bare: stack{at: -1}}
}

// generation forgets the stacks of the generation before.
func (s *stacks) generation() { clear(s.known) }

// of returns what is known of a stack; nil if there is none.
func (s *stacks) of(t trace.Stack) *stack {
	if t == trace.NoStack {
		return nil
	}
	k, ok := s.known[t]
	if !ok {
		k = s.read(t)
		s.known[t] = k
	}
	return k
}

func (s *stacks) read(t trace.Stack) *stack {
	k := &stack{at: -1}
	for f := range t.Frames() {
		k.frames = append(k.frames, frame{s.function(f.Func), base(f.File), int(min(f.Line, 1<<31-1))})
	}
	if len(k.frames) == 0 {
		return nil
	}
	best := kindPark
	for i, f := range k.frames {
		// The innermost function of the program, or else of the library, or else of the runtime.
		level := f.f.kind
		if level == kindSync || level == kindSyscall {
			level = kindRuntime
		}
		if k.at < 0 || level > best {
			k.at, best = i, level
		}
	}
	k.below = len(k.frames)
	for k.below > 0 && k.frames[k.below-1].f.starter {
		k.below--
	}
	return k
}

func (s *stacks) function(full string) *function {
	f := s.functions[full]
	if f == nil {
		if len(s.functions) >= mostFunctions {
			clear(s.functions)
		}
		f = functionOf(full, s.names)
		s.functions[full] = f
	}
	return f
}

// root returns the function that the goroutine of a stack runs; nil if that is not known.
func (k *stack) root() *function {
	switch {
	case k == nil, len(k.frames) >= mostFrames:
		return nil
	case k.below == 0:
		return k.frames[len(k.frames)-1].f
	}
	return k.frames[k.below-1].f
}

// place returns the place of a stack for calls with these arguments.
func (s *stacks) place(k *stack, as form) calltrace.Place {
	if k == nil {
		k = &s.bare
	}
	if k.places[as] == 0 {
		var file, name string
		var line int
		if k.at >= 0 {
			f := &k.frames[k.at]
			file, line, name = f.file, f.line, f.f.name
		}
		if k.at >= 0 || forms[as] != nil {
			k.places[as] = s.to.Place(file, name, line, forms[as])
		}
	}
	return k.places[as]
}

// callers returns the functions from the place outwards, without that which the goroutine runs:
// "shop.load ← shop.handle". With via, it begins with the function of a library that was called there.
func (k *stack) callers(via bool) string {
	if k == nil || k.at < 0 {
		return ""
	}
	if !k.known {
		k.known = true
		k.chain = k.join(k.at)
		k.via = k.chain
		if k.at > 0 && k.frames[k.at-1].f.kind > kindRuntime {
			k.via = k.join(k.at - 1)
		}
	}
	if via {
		return k.via
	}
	return k.chain
}

func (k *stack) join(from int) string {
	var names []string
	for i := from; i < k.below-1; i++ {
		f := k.frames[i].f
		if f.kind <= kindRuntime && k.frames[from].f.kind > kindRuntime {
			continue // such as trace.WithRegion
		}
		if len(names) == mostShown {
			names = append(names, "…")
			break
		}
		names = append(names, f.name)
	}
	return strings.Join(names, " ← ")
}

// outermost returns the outermost of the functions of a kind that are innermost on the stack, but for
// the runtime's; nil if there is none.
func (k *stack) outermost(of kind) (found *function) {
	if k == nil {
		return nil
	}
	for _, f := range k.frames {
		switch f.f.kind {
		case of:
			found = f.f
		case kindPark, kindRuntime:
		default:
			return found
		}
	}
	return found
}

// waits returns what a stack that ends in the runtime waits for; "" if that is not known.
func (k *stack) waits() string {
	if k == nil {
		return ""
	}
	for _, f := range k.frames {
		switch reason := parking[f.f.full]; {
		case reason != "":
			return reason
		case f.f.full == "time.Sleep":
			return "sleep"
		case f.f.kind > kindRuntime:
			return ""
		}
	}
	return ""
}

// where names the place: "shop.load main.go:78"; "" if it is in the runtime, or not known.
func (k *stack) where() string {
	if k == nil || k.at < 0 {
		return ""
	}
	f := &k.frames[k.at]
	if f.f.kind <= kindRuntime {
		return ""
	}
	return f.f.name + " " + f.file + ":" + strconv.Itoa(f.line)
}

package perfetto

import (
	"strconv"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// frame is one call in a stack.
type frame struct {
	function uint64 // number of its name
	pc       uint64 // in its module
}

// readFrame reads a Frame.
func (in *interned) readFrame(b []byte) bool {
	var iid uint64
	var c frame
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			iid = f.value
		case 2:
			c.function = f.value
		case 4:
			c.pc = f.value
		}
	}
	if _, known := in.frames[iid]; !known && !f.bad {
		if in.frames == nil {
			in.frames = make(map[uint64]frame)
		}
		in.frames[iid] = c
		in.bytes += internedCost
	}
	return !f.bad
}

// maxStack is the maximum number of calls kept of a stack, the outermost ones.
const maxStack = 1 << 10

// readStack reads a Callstack.
func (in *interned) readStack(b []byte) bool {
	var iid uint64
	var frames []uint64
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			iid = f.value
		case 2:
			frames = f.numbers(frames, varint)
		}
	}
	if _, known := in.stacks[iid]; !known && !f.bad {
		if in.stacks == nil {
			in.stacks = make(map[uint64][]uint64)
		}
		frames = append([]uint64(nil), frames[:min(len(frames), maxStack)]...)
		in.stacks[iid] = frames
		in.bytes += internedCost + 8*int64(len(frames))
	}
	return !f.bad
}

// stack adds a call stack that is part of its event.
func (a *arguments) stack(b []byte) {
	var names []string
	f := fields{rest: b}
	for f.next() {
		if f.number != 1 || len(names) >= maxStack {
			continue
		}
		name := ""
		g := fields{rest: f.raw}
		for g.next() {
			if g.number == 1 {
				name = string(g.raw)
			}
		}
		names = append(names, name)
	}
	a.addStack(names)
}

// internedStack adds an interned call stack.
func (a *arguments) internedStack(s *sequence, iid uint64) {
	stack, ok := s.stacks[iid]
	if !ok {
		a.left++
		return
	}
	var names []string
	for _, iid := range stack {
		call, ok := s.frames[iid]
		name := ""
		if known := s.find(internedFunctions, call.function); known != nil {
			name = string(known.text)
		}
		if name == "" && ok {
			name = "0x" + strconv.FormatUint(call.pc, 16)
		}
		names = append(names, name)
	}
	a.addStack(names)
}

// addStack adds the names of a stack's calls, innermost first.
func (a *arguments) addStack(names []string) {
	var text []byte
	for i := len(names) - 1; i >= 0 && len(text) < fit.SurelyFits; i-- {
		name := names[i]
		if name == "" {
			name = "?"
		}
		if len(text) > 0 {
			text = append(text, " < "...)
		}
		text = append(text, name...)
	}
	a.add("stack", calltrace.Unquoted(a.d.Text(text)))
}

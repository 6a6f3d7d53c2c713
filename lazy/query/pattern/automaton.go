package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// automaton reports whether a text matches an expression, many times faster than package regexp:
// it is a deterministic automaton whose states are made when they are first reached. It does not
// tell where the match is. Any goroutine may use it.
type automaton struct {
	prog *syntax.Prog
	idle sync.Pool // of *states
}

// newAutomaton returns nil if the expression is too large for one.
func newAutomaton(expr string) *automaton {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	a := &automaton{prog: prog}
	a.idle.New = func() any { return newStates(prog) }
	return a
}

const (
	maxInstructions = 1000
	maxStates       = 2000 // then all are forgotten; each takes 520 bytes and more
)

// A transition is the number of the next state, or one of these.
const (
	unknown  = 0
	accepted = -1 // there is a match
	rejected = -2 // there is none: only at the end of a text
)

// The columns of a state: ASCII characters, the arrow in the text of reads, the end of the text.
const (
	arrowColumn = utf8.RuneSelf + iota
	endColumn
	columns

	arrow = '➜'
)

// states are the states known so far. One goroutine uses them.
type states struct {
	prog *syntax.Prog
	next [][columns]int32 // by state; state 0 is not used, state 1 begins a text
	sets []set
	ids  map[string]int32

	seen  []uint32 // by instruction: the round in which it was visited
	round uint32
	key   []byte
}

// set is a state: the instructions to continue at, in order, and what the character before was:
// one that stands for all that assertions do not tell from it.
type set struct {
	at     []uint32
	before rune
}

func newStates(prog *syntax.Prog) *states {
	x := &states{prog: prog, seen: make([]uint32, len(prog.Inst))}
	x.forget()
	return x
}

// forget forgets all states but the first.
func (x *states) forget() {
	x.next, x.sets, x.ids = x.next[:0], x.sets[:0], make(map[string]int32)
	x.next, x.sets = append(x.next, [columns]int32{}), append(x.sets, set{})
	x.state(set{before: -1})
}

// state returns the number of a state.
func (x *states) state(s set) int32 {
	x.key = binary.BigEndian.AppendUint32(x.key[:0], uint32(s.before))
	for _, at := range s.at {
		x.key = binary.BigEndian.AppendUint32(x.key, at)
	}
	if id, ok := x.ids[string(x.key)]; ok {
		return id
	}
	id := int32(len(x.sets))
	x.ids[string(x.key)] = id
	x.sets, x.next = append(x.sets, s), append(x.next, [columns]int32{})
	return id
}

// match reports whether an expression matches within a text.
func (a *automaton) match(text []byte) bool {
	x := a.idle.Get().(*states)
	defer a.idle.Put(x)
	now := int32(1)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			to := x.next[now][c]
			if to == unknown {
				to = x.step(now, rune(c), int(c))
			}
			if to < 0 {
				return true
			}
			now = to
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		i += n
		column := -1
		if r == arrow {
			column = arrowColumn
			if to := x.next[now][column]; to > 0 {
				now = to
				continue
			}
		}
		if now = x.step(now, r, column); now < 0 {
			return true
		}
	}
	end := x.next[now][endColumn]
	if end == unknown {
		end = x.step(now, -1, endColumn)
	}
	return end == accepted
}

// step returns where a character leads from a state; -1 is the end of the text. It remembers
// that in a column; -1 for none.
func (x *states) step(from int32, r rune, column int) int32 {
	s := x.sets[from]
	flags := syntax.EmptyOpContext(s.before, r)
	x.round++
	next := set{before: standsFor(r)}
	matched := x.follow(uint32(x.prog.Start), flags, r, &next)
	for _, at := range s.at {
		matched = x.follow(at, flags, r, &next) || matched
	}
	to := int32(rejected)
	switch {
	case matched:
		to = accepted
	case r >= 0:
		slices.Sort(next.at)
		next.at = slices.Compact(next.at)
		if len(x.sets) >= maxStates {
			x.forget()
			return x.state(next)
		}
		to = x.state(next)
	}
	if column >= 0 {
		x.next[from][column] = to
	}
	return to
}

// follow follows an instruction up to those that need a character, and adds those that come
// after the character r to next. It reports whether it gets to a match.
func (x *states) follow(at uint32, flags syntax.EmptyOp, r rune, next *set) bool {
	for x.seen[at] != x.round {
		x.seen[at] = x.round
		switch i := &x.prog.Inst[at]; i.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			if x.follow(i.Out, flags, r, next) {
				return true
			}
			at = i.Arg
		case syntax.InstCapture, syntax.InstNop:
			at = i.Out
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^flags != 0 {
				return false
			}
			at = i.Out
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL: // all list their characters
			if r >= 0 && i.MatchRune(r) {
				next.at = append(next.at, i.Out)
			}
			return false
		default:
			return false
		}
	}
	return false
}

// standsFor returns a character that assertions do not tell from r.
func standsFor(r rune) rune {
	switch {
	case r < 0 || r == '\n':
		return r
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

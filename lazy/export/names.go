package export

import (
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

// Called is what a container is called in an export.
type Called struct {
	Name  string // as the tree shows it without its receiver: Account.withdraw, new Account, loop 3
	Class string // full; "" for loops, iterations, and what has none
}

// Names are those of containers and of their arguments, for one visitor: it caches them. It must be used
// in calls of the visitor only.
type Names struct {
	calls map[int64]Called
	args  map[int32][]string // by code location
	text  []byte
}

// mostNames bounds the names that are cached: a hostile trace may have millions.
const mostNames = 1 << 14

func NewNames() *Names { return &Names{calls: map[int64]Called{}, args: map[int32][]string{}} }

// NameKey identifies what containers have a name in common: see [Names.Of].
func NameKey(p *lazy.PassPoint) int64 {
	switch p.Class {
	case format.ClassLoop:
		return -1 - 2*int64(p.Ref)
	case format.ClassIteration:
		return -2 - 2*int64(p.Ref)
	}
	return int64(p.Ref)
}

// Of returns what a container is called.
func (n *Names) Of(p *lazy.PassPoint) Called {
	key := NameKey(p)
	if c, ok := n.calls[key]; ok {
		return c
	}
	c := Called{}
	switch p.Class {
	case format.ClassLoop:
		c.Name = "loop " + strconv.Itoa(int(p.Ref))
	case format.ClassIteration:
		c.Name = "iteration of loop " + strconv.Itoa(int(p.Ref))
	default:
		x := p.Context()
		c.Name, _ = x.CallName(p.Ref, 0)
		if m := x.Method(p.Ref); m != nil {
			if d := x.Class(m.ClassID); d != nil {
				c.Class = d.Name
			}
		}
	}
	if len(n.calls) < mostNames {
		n.calls[key] = c
	}
	return c
}

// Arg returns the name of an argument, from 0: that of the source where it is known, otherwise arg.1 and so on.
func (n *Names) Arg(p *lazy.PassPoint, point *format.Point, i int) string {
	list, ok := n.args[p.Location]
	if !ok {
		x := p.Context()
		if l := x.Location(p.Location); l != nil && p.Location >= 0 {
			for _, path := range l.ArgNames {
				n.text = x.AppendPathText(n.text[:0], path)
				list = append(list, string(n.text))
			}
		}
		if len(n.args) < mostNames {
			n.args[p.Location] = list
		}
	}
	if len(list) == len(point.Args) && list[i] != "" {
		return list[i]
	}
	return argName(i)
}

// argNames are the names of the first arguments.
var argNames = func() (list [16]string) {
	for i := range list {
		list[i] = "arg." + strconv.Itoa(i+1)
	}
	return list
}()

func argName(i int) string {
	if i < len(argNames) {
		return argNames[i]
	}
	return "arg." + strconv.Itoa(i+1)
}

// LeafName returns what a point that is no container is called: the variable or the field that it is about, or
// what it is.
func LeafName(p *lazy.PassPoint) string {
	switch p.Class {
	case format.ClassVariableRead, format.ClassVariableWrite:
		return p.Context().VariableName(p.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		return p.Context().FieldName(p.Ref)
	case format.ClassArrayRead, format.ClassArrayWrite:
		return "array element"
	}
	return p.Class.String()
}

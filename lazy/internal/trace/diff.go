package trace

import (
	"cmp"
	"slices"
	"strings"

	"tracex/format"
)

// DiffInfo describes the two traces that a diff compares, A and B.
type DiffInfo struct {
	A, B *format.Info // of their runs; nil if not recorded
}

// FileProperty is the property in the Info of a side that names its file, in diffs that tracex has made.
const FileProperty = "tracex.file"

// Names returns a name for each of the two: that of its file, of the file that its run was told to write, or of what was
// traced; "" if none is known, or if both have the same.
func (d *DiffInfo) Names() (a, b string) {
	for _, name := range []func(*format.Info) string{file, writtenTo, traced} {
		if a, b = name(d.A), name(d.B); a != b && a != "" && b != "" {
			return a, b
		}
	}
	return "", ""
}

// file returns the file that a diff of tracex was made of.
func file(n *format.Info) string {
	if n == nil {
		return ""
	}
	for _, p := range n.Properties {
		if p.Key == FileProperty {
			return p.Value
		}
	}
	return ""
}

// writtenTo returns the name of the file that a run of Lincheck's agent wrote: its argument output.
func writtenTo(n *format.Info) string {
	if n == nil {
		return ""
	}
	for arg := range strings.SplitSeq(n.AgentArgs, ",") {
		if path, ok := strings.CutPrefix(arg, "output="); ok {
			return path[strings.LastIndexAny(path, `/\`)+1:]
		}
	}
	return ""
}

// traced returns the method that was traced.
func traced(n *format.Info) string {
	if n == nil {
		return ""
	}
	return strings.Trim(n.Class+"."+n.Method, ".")
}

// Move is a row of a diff that only one of its two traces has, while the other one has its partner: the same in another place,
// or with the same contents under another name.
type Move struct {
	Event, Partner int32 // numbers of the row and of its partner in the diff
	Renamed        bool  // otherwise it was moved
	Class          format.Class
	Ref            int32 // as in the point of the row: the method of a call
	Thread         int32 // of the diff
	Call, Method   int32 // the innermost call around the row, its number and method; -1 if there is none
}

// Moves are the rows of a diff that were moved or renamed, in the order of their numbers; nil if they are not known.
type Moves []Move

// Of returns what is known of a row, by its number; ok is false if it was neither moved nor renamed.
func (m Moves) Of(event int32) (of Move, ok bool) {
	i, ok := slices.BinarySearchFunc(m, event, func(x Move, event int32) int { return cmp.Compare(x.Event, event) })
	if ok {
		of = m[i]
	}
	return of, ok
}

package trace

import (
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

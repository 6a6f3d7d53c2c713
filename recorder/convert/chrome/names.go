package chrome

import (
	"path"
	"strconv"
	"strings"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// names makes methods of the categories and names of events, and remembers them.
type names struct {
	to    *calltrace.Writer
	known map[label]named
	bytes int // of the texts in them
}

type label struct{ category, name string }

// unnamed is the name of what has none.
const unnamed = "unnamed"

// named is what a category and a name say.
type named struct {
	method calltrace.Method
	label  calltrace.Label
	file   string
	line   int
}

const (
	// knownNames is how many of them are remembered, knownBytes how many bytes of texts.
	knownNames = 1 << 16
	knownBytes = 8 << 20
)

func newNames(to *calltrace.Writer) names {
	return names{to: to, known: map[label]named{}}
}

func (n *names) of(category, name string) named {
	if known, ok := n.known[label{category, name}]; ok {
		return known
	}
	n.bytes += len(category) + len(name)
	if len(n.known) >= knownNames || n.bytes > knownBytes {
		clear(n.known)
		n.bytes = len(category) + len(name)
	}
	category, name = strings.Clone(category), strings.Clone(name)
	class, method, file, line := parts(category, name)
	made := named{n.to.Method(class, method), calltrace.LabelOf(category, name), file, line}
	if n.bytes > knownBytes {
		return made
	}
	n.known[label{category, name}] = made
	return made
}

// parts divides a category and a name into what they are made of.
func parts(category, name string) (class, method, file string, line int) {
	class, method = category, name
	if method == "" {
		method = unnamed
	}
	switch f, l, rest, ok := placeAfter(method); {
	case ok:
		method, file, line = rest, f, l
	default:
		if f, l, rest, ok := placeBefore(method); ok {
			return moduleOf(f), rest, f, l
		}
	}
	if strings.EqualFold(category, "fee") { // function entry and exit: VizTracer
		class = ""
		if i := strings.LastIndexByte(method, '.'); i > 0 && i+1 < len(method) {
			class, method = method[:i], method[i+1:]
		}
	}
	return class, fit.Method(class, method), file, line
}

// placeAfter recognises "fib (/path/x.py:3)".
func placeAfter(name string) (file string, line int, rest string, ok bool) {
	if !strings.HasSuffix(name, ")") {
		return
	}
	at := opening(name) - 1
	if at <= 0 || name[at] != ' ' {
		return
	}
	inside := name[at+2 : len(name)-1]
	colon := strings.LastIndexByte(inside, ':')
	if colon <= 0 {
		return
	}
	line, err := strconv.Atoi(inside[colon+1:])
	if err != nil || line < 0 || line > 1<<30 {
		return "", 0, "", false
	}
	return inside[:colon], line, name[:at], true
}

// opening returns where the parenthesis is that the last one of a name closes, also if there are others in between, as in
// "f (a (1).py:3)"; -1 if there is none.
func opening(name string) int {
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// placeBefore recognises "torch/nn/modules/module.py(1501): _call_impl".
func placeBefore(name string) (file string, line int, rest string, ok bool) {
	file, after, ok := strings.Cut(name, ".py(")
	if !ok {
		return "", 0, "", false
	}
	file += ".py"
	number, rest, ok := strings.Cut(after, "): ")
	line, err := strconv.Atoi(number)
	if !ok || err != nil || line < 0 || line > 1<<30 || rest == "" {
		return "", 0, "", false
	}
	return file, line, rest, true
}

// moduleOf returns the name of the Python module in a file, whose path may be one of Windows, or begin with "..": where that
// leads is not known.
func moduleOf(file string) string {
	file = strings.ReplaceAll(strings.TrimSuffix(file, ".py"), `\`, "/")
	if len(file) > 2 && file[1] == ':' { // a drive
		file = file[2:]
	}
	file = strings.TrimPrefix(path.Clean(file), "/")
	for file == ".." || strings.HasPrefix(file, "../") {
		file = strings.TrimPrefix(file[len(".."):], "/")
	}
	return strings.ReplaceAll(strings.TrimPrefix(file, "."), "/", ".")
}

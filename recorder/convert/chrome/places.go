package chrome

import (
	"slices"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// placeKeys are the keys of a file, a line and a function in the arguments of events.
var placeKeys = []struct{ file, line, function string }{
	{"fileName", "lineNumber", "functionName"},
	{"file", "line", "function"},
	{"src_file", "src_line", "src_func"},
	{"source_file", "source_line", "source_function"},
	{"filename", "lineno", "func"},
	{"filename", "line", "function"},
	{"url", "lineNumber", "functionName"},
}

// takePlace makes a place of the arguments that are one.
func (v *values) takePlace() {
	for i := range placeKeys {
		k := &placeKeys[i]
		at, line := slices.Index(v.keys, k.file), -1
		if at < 0 || v.list[at].Kind != format.ValueString {
			continue
		}
		if line = slices.Index(v.keys, k.line); line < 0 {
			continue
		}
		n, ok := fit.Line(&v.list[line])
		if !ok {
			continue
		}
		v.file, v.line = v.list[at].Text, n
		gone := []int{at, line}
		if f := slices.Index(v.keys, k.function); f >= 0 && v.list[f].Kind == format.ValueString {
			v.fun = v.list[f].Text
			gone = append(gone, f)
		}
		slices.Sort(gone)
		for _, at := range slices.Backward(gone) {
			v.keys, v.list = slices.Delete(v.keys, at, at+1), slices.Delete(v.list, at, at+1)
		}
		return
	}
}

// source takes the place from an object, and reports whether it is one.
func (v *values) source(x span) bool {
	in := values{to: v.to, text: v.text, parts: v.parts}
	s := scanner{s: v.text[:x.to], i: int(x.from) + 1}
	for {
		key, ok := s.key()
		if !ok {
			break
		}
		inner := s.value()
		if s.fault != sound || len(in.keys) > 8 {
			return false
		}
		in.add(textOf(v.text, key), inner)
	}
	in.takePlace()
	if s.fault != sound || in.file == "" || len(in.keys) > 0 {
		return false
	}
	v.file, v.line, v.fun = in.file, in.line, in.fun
	return true
}

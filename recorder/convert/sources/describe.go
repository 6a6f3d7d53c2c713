package sources

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
)

// Describe tells in messages what a file is that begins with head, and is of no source: "an ELF program
// or library", `JSON with the keys "a", "b"`. known is false if only package format knows.
func Describe(head []byte) (what string, known bool) {
	if len(head) == 0 {
		return "the file is empty", false
	}
	if what = describe(head); what != "" {
		return what, true
	}
	return describeOther(head), false
}

// describe is Describe for what this package knows; "" for other files.
func describe(head []byte) string {
	for _, k := range otherFiles {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.what
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	lower := bytes.ToLower(text[:min(len(text), 64)])
	switch {
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return "an HTML page, perhaps an error of the server that it was loaded from"
	case bytes.HasPrefix(lower, []byte("<?xml")):
		return "XML"
	case isFolded(text):
		return "folded stacks: samples, no calls"
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return describeJSON(text)
	case IsPprof(head):
		return "a pprof profile: samples, no calls"
	}
	return ""
}

// otherFiles are kinds of files that have a magic.
var otherFiles = []struct{ magic, what string }{
	{"\x7fELF", "an ELF program or library"},
	{"\xcf\xfa\xed\xfe", "a Mach-O program or library"},
	{"MZ", "a program of Windows"},
	{"PERFILE2", "a recording of Linux perf: samples, no calls"},
	{"FLR\x00", "a recording of Java Flight Recorder: samples, no calls"},
	{"\x10\x00\x04\x46\x78\x54\x16\x00", "a Fuchsia trace (FXT)"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"PAR1", "a Parquet file"},
	{"BZh", "bzip2-compressed data"},
	{"\xfd7zXZ\x00", "xz-compressed data"},
	{"\x04\x22\x4d\x18", "lz4-compressed data"},
	{"\xff\xfe\x00\x00", "text in UTF-32"},
	{"\x00\x00\xfe\xff", "text in UTF-32"},
}

// describeOther is Describe by what package format knows.
func describeOther(head []byte) string {
	var e *format.Error
	if _, err := format.CheckDataHeader(head); errors.As(err, &e) && e.Found != "" {
		return e.Found
	}
	return fmt.Sprintf("bytes %x", head[:min(len(head), 8)])
}

// profile is how profiles of pprof begin: with their first sample type, field 1, a message of two
// numbers. -1 stands for any byte.
var profile = []int{0x0a, 4, 0x08, -1, 0x10, -1}

// IsPprof reports whether a file begins like a profile of pprof, unpacked.
func IsPprof(head []byte) bool {
	if len(head) < len(profile) {
		return false
	}
	for i, want := range profile {
		if want >= 0 && int(head[i]) != want {
			return false
		}
	}
	return true
}

// IsText reports whether bytes have no control characters but those of text.
func IsText(head []byte) bool {
	return !slices.ContainsFunc(head, func(b byte) bool { return b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f' || b == 0x7f })
}

// foldedLines is how many of the first lines of a file tell whether it is of folded stacks.
const foldedLines = 16

// isFolded reports whether the first lines are stacks and numbers, and one of the stacks has several frames, as in
// "main;f 12". A frame may be in braces or brackets, such as {main} and [unknown].
func isFolded(text []byte) bool {
	several := false
	for n := range foldedLines {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		at := bytes.LastIndexByte(bytes.TrimRight(line, "\r"), ' ')
		switch {
		case !whole:
			return several && n > 0
		case at <= 0 || (line[0] == '{' || line[0] == '[') && (line[1] < 'a' || line[1] > 'z'):
			return false
		}
		number := bytes.TrimSpace(line[at+1:])
		if len(number) == 0 || len(bytes.Trim(number, "0123456789")) > 0 {
			return false
		}
		several = several || bytes.IndexByte(line[:at], ';') >= 0
		text = rest
	}
	return several
}

// otherJSON are kinds of JSON files, by keys that they have.
var otherJSON = []struct {
	keys []string
	what string
}{
	{[]string{"nodes", "timeDeltas"}, "a CPU profile of V8: samples, no calls"},
	{[]string{"nodes", "samples"}, "a CPU profile of V8: samples, no calls"},
	{[]string{"shared", "profiles"}, "a speedscope file"},
	{[]string{"meta", "threads"}, "a profile of the Firefox profiler: samples, no calls"},
	{[]string{"meta", "libs"}, "a profile of the Firefox profiler: samples, no calls"},
}

// manyKeys bounds the keys in a message.
const manyKeys = 5

// describeJSON tells what JSON it is, by the keys of its object, or of the first one of its array.
func describeJSON(text []byte) string {
	keys, array := keysOf(text)
	for _, k := range otherJSON {
		if !array && !slices.ContainsFunc(k.keys, func(key string) bool { return !slices.Contains(keys, key) }) {
			return k.what
		}
	}
	what := "JSON"
	if array {
		what = "a JSON array"
	}
	if len(keys) == 0 {
		return what
	}
	var quoted []string
	for _, key := range keys[:min(len(keys), manyKeys)] {
		quoted = append(quoted, fmt.Sprintf("%.40q", key))
	}
	if len(keys) > manyKeys {
		quoted = append(quoted, "…")
	}
	return what + " with the keys " + strings.Join(quoted, ", ")
}

// keysOf returns the keys of a JSON object as far as it is there; of an array, those of its first
// object. Nesting is bounded by the length of text.
func keysOf(text []byte) (keys []string, array bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	base := 1
	if text[0] == '[' {
		array, base = true, 2
	}
	key := false // the next token of the object is a key
	for depth := 0; len(keys) < 1000; {
		t, err := d.Token()
		if err != nil {
			return keys, array
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				if depth++; depth == base && t == '[' {
					return nil, array
				}
				key = depth == base
				continue
			}
			if depth--; depth < base {
				return keys, array
			}
			key = depth == base
		case string:
			if depth == base && key {
				keys, key = append(keys, t), false
			} else if depth == base {
				key = true
			}
		default:
			key = depth == base
		}
	}
	return keys, array
}

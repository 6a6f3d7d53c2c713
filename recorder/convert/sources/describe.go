package sources

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Outline reads a file of JSON and returns what stands at its beginning in its place: the same objects and lists, without most
// of what is in large ones. So a key is in it that follows a value of any size. It reads until enough says that an outline
// is enough, or there are HeadSize bytes, or the end. Of what is no JSON it returns a part. An error ends it, too.
func Outline(r io.Reader, enough func(outline []byte) bool) ([]byte, error) {
	o := outline{in: bufio.NewReaderSize(r, HeadSize), enough: enough}
	for !o.done && len(o.out) < HeadSize {
		c, err := o.in.ReadByte()
		switch {
		case err == io.EOF:
			return o.out, nil
		case err != nil:
			return o.out, nothing(err)
		}
		o.next(c)
	}
	return o.out, nil
}

// mostAhead is how much of a pipe is kept to find out what it is, in bytes.
const mostAhead = 64 << 20

// Outline is that of the content, as far as it is in its first 64 MiB: they are kept for Read. The first Read must be
// after it.
func (c *Content) Outline(enough func(outline []byte) bool) ([]byte, error) {
	c.head = bytes.Clone(c.head)
	kept := new(bytes.Buffer)
	o, err := Outline(io.TeeReader(io.LimitReader(c.in, mostAhead), kept), enough)
	c.in = bufio.NewReaderSize(io.MultiReader(kept, c.in), HeadSize)
	return o, err
}

// IsLongJSON reports whether a file that begins with head is JSON that is longer than that.
func IsLongJSON(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) >= HeadSize && len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

type outline struct {
	in     *bufio.Reader
	out    []byte
	enough func([]byte) bool
	done   bool
	looked int // how long out was when enough was asked

	begins  []int // where in out each object or list begins that is open
	skipped int   // how many are open that are left out, with the one whose rest is
	inText  bool
	text    int  // bytes of the string
	cut     bool // the rest of it is left out
	escape  bool // its last byte is a backslash
	digits  int  // of an escape that are to come
}

// outlineText is how many bytes of a string are in an outline.
const outlineText = 256

// outlineRoom is how many bytes an object or list takes in an outline, by how many are around it. Those
// further in are bounded by the ones around them.
var outlineRoom = [...]int{HeadSize, HeadSize / 4, HeadSize / 32}

// next takes a byte.
func (o *outline) next(c byte) {
	switch {
	case o.inText:
		o.inside(c)
	case c == '"':
		o.inText, o.text, o.cut = true, 0, false
		o.put(c)
	case c == '{', c == '[':
		o.enter(c)
	case c == '}', c == ']':
		o.leave(c)
	case c == ',' && o.skipped == 0 && o.full():
		o.skipped = 1 // the rest of what is open
		o.look()
	default:
		o.put(c)
	}
}

// inside takes a byte of a string, which is cut between two characters.
func (o *outline) inside(c byte) {
	first := !o.escape && o.digits == 0 && c&0xc0 != 0x80 // of a character
	const unicode = 4
	switch {
	case o.escape:
		if o.escape = false; c == 'u' {
			o.digits = unicode
		}
	case o.digits > 0:
		o.digits--
	case c == '\\':
		o.escape = true
	case c == '"':
		o.inText = false
		o.put(c)
		return
	}
	if o.text = min(o.text+1, outlineText+1); o.text > outlineText && first {
		o.cut = true
	}
	if !o.cut {
		o.put(c)
	}
}

func (o *outline) put(c byte) {
	if o.skipped == 0 {
		o.out = append(o.out, c)
	}
}

// full reports whether something that is open takes more than its room.
func (o *outline) full() bool {
	for depth, begin := range o.begins[:min(len(o.begins), len(outlineRoom))] {
		if len(o.out)-begin > outlineRoom[depth] {
			return true
		}
	}
	return false
}

func (o *outline) enter(c byte) {
	if o.skipped > 0 {
		o.skipped++
		return
	}
	o.begins = append(o.begins, len(o.out))
	o.put(c)
}

func (o *outline) leave(c byte) {
	if o.skipped > 0 {
		if o.skipped--; o.skipped > 0 {
			return
		}
	}
	o.put(c)
	if n := len(o.begins); n > 0 {
		o.begins = o.begins[:n-1]
	}
	if len(o.begins) <= 1 {
		o.look()
	}
}

// look asks whether the outline is enough, if there is something new.
func (o *outline) look() {
	const few = 256
	if len(o.out) >= o.looked+o.looked/4+few || o.looked == 0 {
		o.looked = len(o.out)
		o.done = o.enough(o.out)
	}
}

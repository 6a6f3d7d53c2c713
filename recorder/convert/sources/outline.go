package sources

import (
	"bufio"
	"bytes"
	"io"
)

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

package query

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tracex/format"
)

// Content is what a value consists of that is a text or bytes.
type Content struct {
	Text  string
	More  int64 // bytes that were not recorded
	Bytes bool  // it is no text
}

// What recorders write in place of a text that they have cut, and for bytes in Go.
var (
	shortened = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^(?P<text>.*)…\+(?P<more>\d+)$`) })
	goBytes   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^\[\]byte\((?:0x(?P<hex>[0-9a-f]*)|"(?P<text>.*)")(?:\.\.\., (?P<all>\d+) bytes)?\)$`)
	})
)

// Contents returns the contents of a text or of bytes.
func Contents(v *format.Value) (c Content, ok bool) {
	switch {
	case v.Kind == format.ValueArray && v.Captured != nil:
		var list []byte
		for i := range v.Captured.Elements {
			if v.Captured.Elements[i].Kind == format.ValueByte {
				list = append(list, byte(v.Captured.Elements[i].Bits))
			}
		}
		if len(list) == 0 || len(list) < len(v.Captured.Elements) {
			return c, false
		}
		c.Text, c.More = string(list), int64(v.Length())-int64(len(list))
	case v.Kind == format.ValueString || v.Kind == format.ValueBuilder || v.Kind == format.ValueSequence || v.Unquoted():
		c.Text = v.Text
		if m := goBytes().FindStringSubmatch(v.Text); m != nil && v.Unquoted() {
			b, _ := hex.DecodeString(m[goBytes().SubexpIndex("hex")])
			all, _ := strconv.ParseInt(m[goBytes().SubexpIndex("all")], 10, 64)
			c.Text = string(b) + m[goBytes().SubexpIndex("text")]
			c.More = max(0, all-int64(len(c.Text)))
		} else if m := shortened().FindStringSubmatch(v.Text); m != nil {
			c.Text = m[shortened().SubexpIndex("text")]
			c.More, _ = strconv.ParseInt(m[shortened().SubexpIndex("more")], 10, 64)
		}
	default:
		return c, false
	}
	c.Bytes = strings.ContainsFunc(c.Text, func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\n\r\t\x1b", r)
	})
	return c, true
}

// elementTypes are the types that the JVM denotes by a letter.
var elementTypes = map[string]string{
	"Z": "boolean", "B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short",
}

// ArrayType returns the type of an array as source code has it, "java.lang.String[]", for the name of its class; "" if that
// is no array.
func ArrayType(class string) string {
	element := strings.TrimLeft(class, "[")
	dims := len(class) - len(element)
	name, object := strings.CutPrefix(element, "L")
	switch basic := elementTypes[element]; {
	case dims == 0:
		return ""
	case basic != "":
		element = basic
	case object && strings.HasSuffix(name, ";"):
		element = strings.TrimSuffix(name, ";")
	default:
		return ""
	}
	return element + strings.Repeat("[]", dims)
}

package values

import (
	"bytes"
	"testing"
)

// A text is written as it is only if each of its bytes is a character of one byte in the file,
// wherever another byte is in it.
func TestPlain(t *testing.T) {
	for length := range 41 {
		text := bytes.Repeat([]byte{0x01, 'a', 0x7f}, length)[:length]
		if !plain(string(text)) {
			t.Errorf("%q is taken for another text than it is", text)
		}
		for at := range text {
			was := text[at]
			for _, other := range []byte{0, 0x80, 0x81, 0xff} {
				if text[at] = other; plain(string(text)) {
					t.Errorf("%q is taken for a plain text", text)
				}
			}
			text[at] = was
		}
	}
}

package format

import "encoding/binary"

// Threw reports whether a call ended by an exception, from its footer at the start of b. It
// decodes nothing else.
func (v Version) Threw(b []byte) (bool, error) {
	at := 0
	const rest = 16 // more than is read of a value at once
	if len(b) >= rest && Kind(b[KindAt]) == KindFooter {
		if v >= V27 {
			at = fastValue27(b, CallResultAt)
		} else {
			at = fastValue22(b, CallResultAt)
		}
	}
	if at == 0 {
		c := skipper{reader{b: b, v: v}}
		if k := Kind(c.u8()); k != KindFooter && c.err == nil {
			c.fail(0, KindFooter.String(), k.String())
		}
		c.skipValue(0)
		if c.err != nil {
			return false, c.err
		}
		at = c.i
	}
	c := reader{b: b, i: at, v: v}
	if v >= V27 {
		return c.u8() != 0, c.error()
	}
	if head := c.take(UTFHeadSize, "a string"); head != nil {
		return binary.BigEndian.Uint16(head) != 0, nil
	}
	return false, c.error()
}

// Package jsonstream reads JSON (RFC 8259) piece by piece, for converters: a document of any size
// takes one buffer and the text at hand. No value is kept.
//
// A caller walks a document with loops, and reads what it knows:
//
//	for key := range r.Fields() {
//		switch string(key) {
//		case "name":
//			name = string(r.Text())
//		case "spans":
//			for range r.Items() {
//				readSpan(r)
//			}
//		}
//	}
//
// What the body of a loop does not read is skipped: unknown keys, and values of another kind than
// expected, which are counted. The first fault ends all loops; [Reader.Err] returns it, a
// [format.Error] with the offset of the fault. A caller that has read a part of an object must look
// at Err before it uses that part.
//
// Texts are cut to a limit, and are valid UTF-8 whatever the input has: other bytes, and halves of
// surrogate pairs, become U+FFFD. NaN and Infinity are numbers, as some writers have them. Several
// documents may follow each other, as in JSON lines.
package jsonstream

package format_test

import (
	"bytes"
	"fmt"

	"tracex/format"
)

// A data file is a header, blocks of objects of one thread, and an end. Here is one with a class, a method and a
// call of it, and the Scanner that reads any.
func Example() {
	const v = format.V27
	class := format.ClassDescriptor{ID: 1, Name: "Shop"}
	method := format.MethodDescriptor{ID: 1, ClassID: class.ID, Name: "open", Result: format.Type{Kind: format.TypeInt}}
	call := format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: method.ID, Target: format.Null()}
	footer := format.Footer{Result: format.Value{Kind: format.ValueInt, Bits: 5}}

	var err error
	add := func(object []byte, failed error) []byte {
		if err == nil {
			err = failed
		}
		return object
	}
	b := format.AppendBlockHead(format.AppendDataHeader(nil, v), 0)
	b = add(class.Append(b, v))
	b = add(method.Append(b, v)) // after what it refers to
	b = add(call.Append(b, v))
	b = add(footer.Append(b, v, call.Class)) // after the call's children
	b = append(b, byte(format.KindBlockEnd), byte(format.KindEOF))
	if err != nil {
		panic(err)
	}

	context, open := format.NewContext(v), format.Point{}
	s := format.NewScanner(bytes.NewReader(b))
	for s.Next() {
		switch o := s.Object(); o.Kind {
		case format.KindTracePoint:
			if _, err := v.DecodePoint(o.Bytes, &open); err != nil {
				panic(err)
			}
		case format.KindFooter:
			var f format.Footer
			if _, err := v.DecodeFooter(o.Bytes, o.Class, &f); err != nil {
				panic(err)
			}
			fmt.Printf("%s\n", context.AppendText(nil, &open, &f, format.Parent{}, false))
		case format.KindBlockStart, format.KindBlockEnd, format.KindEOF:
		default:
			if _, _, err := context.Add(o.Bytes); err != nil {
				panic(err)
			}
		}
	}
	if err := s.Err(); err != nil {
		panic(err)
	}
	// Output:
	// Shop.open(): 5
}

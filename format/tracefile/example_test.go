package tracefile_test

import (
	"bytes"
	"fmt"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// A Block collects what one thread does; Flush writes it, with its index cells and times. Threads take turns, and a
// call may end in a later block than it began in.
func Example() {
	const v = format.V27
	var data, index, times bytes.Buffer
	w := tracefile.NewWriter(v, tracefile.Files{Data: &data, Index: &index, Times: &times}, time.Unix(0, 0))

	class := format.ClassDescriptor{ID: 1, Name: "Shop"}
	method := format.MethodDescriptor{ID: 1, ClassID: class.ID, Name: "open", Result: format.Type{Kind: format.TypeVoid}}
	b := &tracefile.Block{Thread: 0, Name: "counter", Named: true}
	add := func(object []byte, err error) []byte {
		if err != nil {
			panic(err)
		}
		return object
	}
	b.Reference(add(class.Append(nil, v)), v)
	b.Reference(add(method.Append(nil, v)), v)

	call := format.Point{Class: format.ClassCall, Diff: format.DiffNone, Event: 7, Location: -1, Ref: method.ID, Target: format.Null()}
	content := b.Header(add(call.Append(b.Bytes(), v)))
	b.Touch(1_000)
	w.Flush(b)
	footer := format.Footer{Result: format.Null()}
	b.Footer(add(footer.Append(b.Bytes(), v, call.Class)), content, format.TimeCell{ID: call.Event, Start: 1_000, Duration: 2_500})
	b.Touch(3_500)
	w.EndThread(b)
	if err := w.End(4_000); err != nil {
		panic(err)
	}

	blocks := 0
	s := format.NewBytesScanner(data.Bytes())
	for s.Next() {
		if s.Object().Kind == format.KindBlockStart {
			blocks++
		}
	}
	fmt.Println(blocks, "blocks, read without fault:", s.Err() == nil)
	cells, err := format.CheckIndexTail(index.Bytes(), int64(index.Len()))
	fmt.Println(cells, "cells: 2 blocks, a class, a method, a name twice, a call;", err)
	// Output:
	// 2 blocks, read without fault: true
	// 7 cells: 2 blocks, a class, a method, a name twice, a call; <nil>
}

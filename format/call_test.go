package format

import (
	"bytes"
	"testing"
)

// TestAppendCall compares AppendCall with the header that Point encodes.
func TestAppendCall(t *testing.T) {
	for _, v := range []Version{V22, V27} {
		appendCalls(t, v)
	}
}

func appendCalls(t *testing.T, v Version) {
	for _, args := range [][]Value{
		nil,
		{Null()},
		{{Kind: ValueLong, Bits: -1 << 40}, {Kind: ValueString, Text: "a\x00𝄞"}, {Kind: ValueBoolean, Bits: 1}},
	} {
		p := Point{Class: ClassCall, Diff: DiffNone, Location: -1, Thread: 3, Event: 1 << 30, Ref: 77, Target: Null(), Args: args}
		want, err := p.Append([]byte("before"), v)
		if err != nil {
			t.Fatal(err)
		}
		var values []byte
		for i := range args {
			if values, err = v.AppendValue(values, &args[i]); err != nil {
				t.Fatal(err)
			}
		}
		got := v.AppendCall([]byte("before"), p.Location, p.Thread, p.Event, p.Ref, len(args), values)
		if !bytes.Equal(got, want) {
			t.Errorf("%d arguments: %x, want %x", len(args), got, want)
		}
	}
}

package calls

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

var parts = []Part{
	{},
	{Recorder: 1, Format: 27, References: []byte("references")},
	{Recorder: 1 << 63, HasThread: true, Name: "main", Objects: []byte("objects")},
	{
		Recorder: 77, HasThread: true, Thread: 1<<31 - 1, Number: 300, Name: "worker ü", References: []byte{1},
		Whole: true, Skipped: 70_000, Open: []byte("open"), Began: []byte{1, 2}, Last: true, Ended: 12345,
		Times: []byte{0x80, 1, 5}, Objects: []byte("objects"),
	},
	{HasThread: true, Whole: true, Last: true},
}

func TestDecodeEncoded(t *testing.T) {
	for _, p := range parts {
		got, err := Decode(p.Append(nil))
		if err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v became %+v: %v", p, got, err)
		}
	}
}

// Unknown fields are skipped.
func TestDecodeUnknown(t *testing.T) {
	p := parts[3]
	b := appendBytes(p.Append(nil), 99, "later")
	b = appendVarint(b, 98, 5)
	if got, err := Decode(b); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("%+v: %v", got, err)
	}
}

func TestDecodeDamaged(t *testing.T) {
	whole := parts[3].Append(nil)
	bad := 0
	for n := range whole {
		if _, err := Decode(whole[:n]); err != nil {
			bad++
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("the first %d bytes: %v", n, err)
			}
		}
	}
	if bad < len(whole)/2 {
		t.Errorf("%d of %d ways to cut the end off were found", bad, len(whole))
	}
	for _, b := range [][]byte{
		appendVarint(nil, fieldThread, 0), appendVarint(nil, fieldThread, 1<<31+1), appendVarint(nil, fieldSkipped, 1<<31), appendVarint(nil, fieldFormat, 1<<31),
		{0x07}, {0x80},
	} {
		if _, err := Decode(b); !errors.Is(err, ErrDamaged) {
			t.Errorf("% x: %v", b, err)
		}
	}
}

func TestNextTime(t *testing.T) {
	var got []uint64
	times := protowire.AppendVarint(protowire.AppendVarint(nil, 300), 0)
	for len(times) > 0 {
		ns, rest, ok := NextTime(times)
		if !ok {
			t.Fatal("a time makes no sense")
		}
		got, times = append(got, ns), rest
	}
	if !reflect.DeepEqual(got, []uint64{300, 0}) {
		t.Error(got)
	}
	if _, _, ok := NextTime([]byte{0x80}); ok {
		t.Error("half a time is one")
	}
}

func FuzzDecode(f *testing.F) {
	for _, p := range parts {
		f.Add(p.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Decode(b)
		if err != nil {
			return
		}
		encoded := p.Append(nil)
		again, err := Decode(encoded)
		if err != nil || !bytes.Equal(again.Append(nil), encoded) {
			t.Errorf("%+v became %+v: %v", p, again, err)
		}
	})
}

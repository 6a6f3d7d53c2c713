package format

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestTimeCells(t *testing.T) {
	for _, want := range []TimeCell{
		{}, {ID: -1, Start: math.MaxInt64}, {ID: math.MaxInt32, Start: -7, Duration: NoDuration},
		{ID: 1 << 20, Start: 1 << 40, Duration: 1<<40 + 3},
	} {
		b := want.Append([]byte("before"))
		if len(b) != len("before")+TimeCellSize {
			t.Fatalf("%+v takes %d bytes", want, len(b)-len("before"))
		}
		if got := DecodeTimeCell(b[len("before"):]); got != want {
			t.Errorf("%+v became %+v", want, got)
		}
		if want.Known() != (want.Duration >= 0) {
			t.Errorf("%+v: known %v", want, want.Known())
		}
	}
	if at := TimeCellOffset(HeaderSize + 3*CellSize); at != TimesHeaderSize+3*TimeCellSize {
		t.Errorf("the fourth cell's time stands at %d", at)
	}
}

func TestTimesHeader(t *testing.T) {
	anchor := time.Date(2026, 11, 21, 9, 0, 0, 123456789, time.UTC)
	head := AppendTimesHeader(nil, anchor)
	if len(head) != TimesHeaderSize {
		t.Fatalf("a header of %d bytes", len(head))
	}
	got, err := DecodeTimesHeader(append(head, "cells"...))
	if err != nil || !got.Equal(anchor) {
		t.Errorf("%v, %v, want %v", got, err, anchor)
	}
	for n := range head {
		if _, err := DecodeTimesHeader(head[:n]); !errors.Is(err, ErrTruncated) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	for i := range 16 {
		bad := append([]byte(nil), head...)
		bad[i] ^= 0x40
		want := ErrNotTrace
		if i >= 8 {
			want = ErrVersion
		}
		if _, err := DecodeTimesHeader(bad); !errors.Is(err, want) {
			t.Errorf("byte %d wrong: %v, want %v", i, err, want)
		}
	}
}

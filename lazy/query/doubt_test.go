package query

import (
	"slices"
	"strings"
	"testing"

	"tracex/format"
)

// TestDoubtNotes: all numbers in doubt are told, or counted.
func TestDoubtNotes(t *testing.T) {
	c := format.NewContext(format.Newest)
	add := func(id, hash int32) {
		b, err := (&format.StringObject{ID: id, Value: format.DoubtText(hash)}).Append(nil, format.Newest)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for hash := range int32(8) {
		add(hash, 10+hash)
	}
	add(8, format.FirstOnStack)
	const used, stack = ", garbage collections ran after which its address may have been used again", " on a stack, where what a call has at one place after the other has one number"
	for _, w := range []struct {
		hashes []int32
		want   string
	}{
		{[]int32{0, 1, 99}, ""},
		{[]int32{1, 12, 12}, "@12 may be several objects: between two of its events" + used},
		{[]int32{12, 1, 11}, "@11 and @12 may be several objects each: between two events of one" + used},
		{[]int32{10, 11, 12, 13, 14, 15, 17}, "@10, @11, @12, @13, @14 and 2 more may be several objects each: between two events of one" + used},
		{[]int32{10, format.FirstOnStack + 1}, "@10 may be several objects: between two of its events" + used + "|@1073741825 may be several objects: it is" + stack},
		{[]int32{format.FirstOnStack + 1, format.FirstOnStack}, "@1073741824 and @1073741825 may be several objects each: they are" + stack},
	} {
		if got := strings.Join(doubtNotes(c, slices.Values(w.hashes)), "|"); got != w.want {
			t.Errorf("%v: %q\nwant %q", w.hashes, got, w.want)
		}
	}
}

package query

import (
	"strconv"
	"strings"

	"tracex/format"
)

// doubtNote says that a number may be that of several objects, if the recorder says so; else it is "".
func doubtNote(c *format.Context, hash int32) string {
	switch {
	case hash == 0 || !format.InDoubt(c, hash):
		return ""
	case hash >= format.FirstOnStack:
		return "@" + strconv.Itoa(int(hash)) + " may be several objects: it is on a stack, where what a call has at one place after the other has one number"
	}
	return "@" + strconv.Itoa(int(hash)) + " may be several objects: between two of its events, garbage collections ran after which its address may have been used again"
}

// doubtNotes is doubtNote for the objects whose names are texts such as Order@17, for the first of them.
func doubtNotes(c *format.Context, texts func(yield func(string) bool)) (notes []string) {
	for text := range texts {
		_, number, _ := strings.Cut(text, "@")
		end := 0
		for end < len(number) && number[end] >= '0' && number[end] <= '9' {
			end++
		}
		hash, err := strconv.ParseInt(number[:end], 10, 32)
		if err != nil {
			continue
		}
		if note := doubtNote(c, int32(hash)); note != "" {
			return []string{note}
		}
	}
	return nil
}

package query

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// mostDoubts is how many numbers of objects a note lists.
const mostDoubts = 5

// doubtNotes says which of these numbers may each be that of several objects, if the recorder says so.
func doubtNotes(c *format.Context, hashes iter.Seq[int32]) (notes []string) {
	var onStack, others []int32
	seen := make(map[int32]bool)
	for hash := range hashes {
		switch {
		case hash == 0 || seen[hash] || !format.InDoubt(c, hash):
			continue
		case hash >= format.FirstOnStack:
			onStack = append(onStack, hash)
		default:
			others = append(others, hash)
		}
		seen[hash] = true
	}
	for _, of := range []struct {
		list      []int32
		one, many string
	}{
		{others, "between two of its events, garbage collections ran after which its address may have been used again",
			"between two events of one, garbage collections ran after which its address may have been used again"},
		{onStack, "it is on a stack, where what a call has at one place after the other has one number",
			"they are on a stack, where what a call has at one place after the other has one number"},
	} {
		switch len(of.list) {
		case 0:
		case 1:
			notes = append(notes, numbered(of.list)+" may be several objects: "+of.one)
		default:
			notes = append(notes, numbered(of.list)+" may be several objects each: "+of.many)
		}
	}
	return notes
}

// filterDoubts returns notes if an object that a filter names may be several. The filter may be nil.
func filterDoubts(r *lazy.LazyTraceReader, where *filter.Expr) (notes []string) {
	if where == nil {
		return nil
	}
	r.WithContext(func(c *format.Context) {
		notes = doubtNotes(c, func(yield func(int32) bool) {
			_, rest, more := strings.Cut(where.String(), "@")
			for ; more && yield(hashIn("@"+rest)); _, rest, more = strings.Cut(rest, "@") {
			}
		})
	})
	return notes
}

// numbered lists numbers of objects: @3, @17 and @20; the rest is counted.
func numbered(hashes []int32) string {
	slices.Sort(hashes)
	var list []string
	for _, hash := range hashes[:min(len(hashes), mostDoubts)] {
		list = append(list, "@"+strconv.Itoa(int(hash)))
	}
	if more := len(hashes) - len(list); more > 0 {
		list = append(list, strconv.Itoa(more)+" more")
	}
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// hashIn returns the number in the text of an object, such as Order@17; 0 if there is none.
func hashIn(text string) int32 {
	_, number, _ := strings.Cut(text, "@")
	end := 0
	for end < len(number) && number[end] >= '0' && number[end] <= '9' {
		end++
	}
	hash, _ := strconv.ParseInt(number[:end], 10, 32)
	return int32(hash)
}

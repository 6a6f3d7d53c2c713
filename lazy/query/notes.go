package query

import (
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
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

// grows reports whether a trace is still being recorded: calls that have not ended may do so later.
func grows(r *lazy.LazyTraceReader) bool { return r.Status().Growth.On }

// neverEnded tells of a call that it has not ended; pending if it may do so later.
func neverEnded(pending bool) string {
	if pending {
		return "not ended yet"
	}
	return "did not end"
}

// gapNotes tell that times are missing: see WithoutTimes. They also tell of calls that are missing between the first calls
// of a recording and the newest, and, if it has times, of the time that tables have for these. They lock descriptors.
func gapNotes(r *lazy.LazyTraceReader, timed bool) (notes []string) {
	var without []string
	if why := WithoutTimes(r); !timed && why != "" {
		without = []string{why}
	}
	r.WithContext(func(c *format.Context) {
		notes = format.Gaps(c)
		if text := format.SampleNote(c); text != "" {
			without = append(without, text)
		}
	})
	if len(notes) == 0 {
		return without
	}
	const several = 3
	text := "missing at the rows " + format.GapPrefix + "…>: " + strings.Join(notes[:min(len(notes), several)], ", ")
	if n := len(notes) - several; n > 0 {
		text += ", and " + display.Plural(int64(n), "gap") + " more"
	}
	if timed {
		text += "; that time is in the self times of the calls around, and a call that ends there counts up to it"
	}
	return append(without, text)
}

// WithoutTimes tells what to do if a trace was copied without its times; "" if it has some, or never had any.
func WithoutTimes(r *lazy.LazyTraceReader) string {
	file := lazy.TimesMissing(r)
	if file == "" {
		return ""
	}
	return "no times: " + filepath.Base(file) + " is not there; copy it beside the trace, unless it was recorded with --no-times"
}

// notEnded tells of how many calls have not ended.
func notEnded(n int64, grows bool) string {
	switch {
	case !grows:
		return display.Plural(n, "call") + " had not ended when the recording did"
	case n == 1:
		return "1 call has not ended yet"
	}
	return display.Plural(n, "call") + " have not ended yet"
}

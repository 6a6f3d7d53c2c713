package lazy

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"tracex/format"
)

// ThreadOrder is an order of threads.
type ThreadOrder int

const (
	ByID       ThreadOrder = iota
	ByName                 // numbers in names by value; those without a name last
	ByDuration             // longest first; those without a known duration last
	ByCalls                // most first; by calls, loops and iterations if calls have not been counted
)

// sortBatch is how many threads a sort processes between two checks of its context.
const sortBatch = 1 << 12

// Sort returns the numbers of all threads in an order; equal ones are in order of id.
// A nil slice means the order by id.
func (l *ThreadList) Sort(ctx context.Context, o ThreadOrder, progress Progress) ([]int, error) {
	if progress == nil {
		progress = func(done, total int64) {}
	}
	switch o {
	case ByName:
		return l.sortByName(ctx, progress)
	case ByDuration, ByCalls:
		return l.sortByNumber(ctx, o, progress)
	}
	return nil, nil
}

// numbered is a thread and the number to sort it by, largest first.
type numbered struct {
	by int64
	n  int
}

func (l *ThreadList) sortByNumber(ctx context.Context, o ThreadOrder, progress Progress) ([]int, error) {
	list := make([]numbered, l.Len())
	for from := 0; from < len(list); from += sortBatch {
		part := list[from:min(from+sortBatch, len(list))]
		l.numbers(o, from, part)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress(int64(from), 2*int64(len(list)))
	}
	compare := func(a, b numbered) int {
		if a.by != b.by {
			return cmp.Compare(b.by, a.by)
		}
		return a.n - b.n
	}
	return sorted(ctx, list, compare, func(a numbered) int { return a.n }, progress)
}

// numbers fills in the sort keys of the threads from a number on.
func (l *ThreadList) numbers(o ThreadOrder, from int, part []numbered) {
	for i := range part {
		part[i] = numbered{by: math.MinInt64, n: from + i}
		if o == ByCalls {
			p := l.r.r.Population(l.v, l.v.Streams.At(from+i))
			if part[i].by = p.Containers; p.Counted {
				part[i].by = p.Calls
			}
		}
	}
	if o == ByDuration {
		l.times(func(time func(n int) (Time, bool)) {
			for i := range part {
				if t, ok := time(from + i); ok {
					part[i].by = t.Duration
				}
			}
		})
	}
}

// namedThread is a thread and its name.
type namedThread struct {
	name  string
	n     int32
	plain bool // the name is not that of a goroutine
}

func (l *ThreadList) sortByName(ctx context.Context, progress Progress) ([]int, error) {
	list := make([]namedThread, l.Len())
	for from := 0; from < len(list); from += sortBatch {
		to := min(from+sortBatch, len(list))
		l.r.WithContext(func(c *format.Context) {
			for n := from; n < to; n++ {
				list[n].n = int32(n)
				if t := c.Thread(l.v.Streams.Thread(n)); t != nil {
					list[n].name = t.Name
				}
				list[n].plain = !strings.Contains(list[n].name, goroutine)
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress(int64(from), 2*int64(len(list)))
	}
	compare := func(a, b namedThread) (c int) {
		if a.plain && b.plain {
			c = compareNames(a.name, b.name)
		} else {
			c = compareThreads(a.name, b.name)
		}
		return cmp.Or(c, int(a.n)-int(b.n))
	}
	return sorted(ctx, list, compare, func(a namedThread) int { return int(a.n) }, progress)
}

// sorted sorts a list, in runs that are then merged, and returns the number of each
// element. It reports the second half of the progress.
func sorted[T any](ctx context.Context, list []T, compare func(a, b T) int, number func(T) int, progress Progress) ([]int, error) {
	const run = 1 << 14
	passes := int64(1)
	for size := run; size < len(list); size *= 2 {
		passes++
	}
	total := int64(len(list))
	done := int64(0)
	tell := func(n int) error {
		done += int64(n)
		progress(total+done/passes, 2*total)
		return ctx.Err()
	}
	for from := 0; from < len(list); from += run {
		part := list[from:min(from+run, len(list))]
		slices.SortFunc(part, compare)
		if err := tell(len(part)); err != nil {
			return nil, err
		}
	}
	other := make([]T, len(list))
	for size := run; size < len(list); size *= 2 {
		for from := 0; from < len(list); from += 2 * size {
			mid, to := min(from+size, len(list)), min(from+2*size, len(list))
			merge(other[from:to], list[from:mid], list[mid:to], compare)
			if err := tell(to - from); err != nil {
				return nil, err
			}
		}
		list, other = other, list
	}
	numbers := make([]int, len(list))
	for i := range list {
		numbers[i] = number(list[i])
	}
	return numbers, nil
}

// merge merges two sorted lists. Often one follows the other: threads with numbers in their names are in the order of these.
func merge[T any](to, a, b []T, compare func(a, b T) int) {
	if len(b) > 0 && compare(a[len(a)-1], b[0]) <= 0 {
		copy(to[copy(to, a):], b)
		return
	}
	for i := range to {
		if len(b) == 0 || len(a) > 0 && compare(b[0], a[0]) >= 0 {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}

// compareThreads compares names of threads. Of goroutines, the function comes first, then the program and the number.
func compareThreads(a, b string) int {
	program, function, number := goroutineName(a)
	otherProgram, otherFunction, otherNumber := goroutineName(b)
	if c := compareNames(function, otherFunction); c != 0 {
		return c
	}
	return cmp.Or(compareNames(program, otherProgram), compareNames(number, otherNumber))
}

const goroutine = "goroutine " // in names of goroutines

// goroutineName splits the name of a goroutine. Of any other one, all is the function.
func goroutineName(name string) (program, function, number string) {
	i := strings.Index(name, goroutine)
	if i < 0 || i > 0 && !strings.HasSuffix(name[:i], " › ") {
		return "", name, ""
	}
	if number, function, _ = strings.Cut(name[i+len(goroutine):], " "); function == "" {
		return "", name, ""
	}
	function, _, _ = strings.Cut(function, " ← ")
	return name[:i], function, number
}

// compareNames compares names as people do: digits in both compare as numbers. The
// empty name comes last.
func compareNames(a, b string) int {
	if (a == "") != (b == "") {
		if a == "" {
			return 1
		}
		return -1
	}
	for i, j := 0, 0; ; {
		switch {
		case i == len(a) || j == len(b):
			return (len(a) - i) - (len(b) - j)
		case isDigit(a[i]) && isDigit(b[j]):
			x, nexti := digits(a, i)
			y, nextj := digits(b, j)
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if x != y {
				if x < y {
					return -1
				}
				return 1
			}
			i, j = nexti, nextj
		case a[i] != b[j]:
			return int(a[i]) - int(b[j])
		default:
			i, j = i+1, j+1
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits returns the digits of a number that begins at i, without leading zeros, and
// where it ends.
func digits(s string, i int) (number string, end int) {
	for end = i; end < len(s) && isDigit(s[end]); end++ {
	}
	for i < end-1 && s[i] == '0' {
		i++
	}
	return s[i:end], end
}

package export

import (
	"math/bits"

	"tracex/format"
	"tracex/lazy"
)

// limit is a target that ends an export as soon as it is clear that it becomes too large to be loaded.
type limit struct {
	target
	f    *Format
	j    *Job
	out  *output
	tell lazy.Progress

	done, total int64
	durations   durations
}

// sure is the part of a trace, one in so many, after which the size of the whole can be estimated.
const sure = 25

func (l *limit) progress(done, total int64) {
	l.done, l.total = done, total
	if t, ok := l.target.(interface{ progress(done, total int64) }); ok {
		t.progress(done, total)
	}
	if l.tell != nil {
		l.tell(done, total)
	}
}

func (l *limit) Reset() {
	l.durations = durations{}
	l.target.Reset()
}

func (l *limit) Merge(v lazy.Visitor) error {
	if err := l.target.Merge(v); err != nil {
		return err
	}
	if c, ok := v.(clocked); ok {
		l.durations.take(&c.clock().durations)
	}
	if l.f.Limit == 0 || l.j.Force || l.done == 0 {
		return nil
	}
	size := l.out.size
	if l.done*sure >= l.total && l.done < l.total {
		size = int64(float64(size) * float64(l.total) / float64(l.done))
	}
	if l.out.size <= l.f.Limit && size <= l.f.Limit+l.f.Limit/4 { // parts of a trace differ
		return nil
	}
	e := &TooLargeError{Target: l.f.Target, Size: size, Limit: l.f.Limit}
	e.MinDur, e.Then = l.durations.shortest(size, l.f.Limit)
	return e
}

type clocked interface{ clock() *Clock }

// durations counts calls by the number of bits of their durations.
type durations [64]int64

func (d *durations) add(ns int64) { d[bits.Len64(uint64(max(0, ns)))]++ }

// take moves the counts of o to d.
func (d *durations) take(o *durations) {
	for i, n := range o {
		d[i] += n
	}
	*o = durations{}
}

// shortest returns a duration so that calls that take as long are few enough for the limit, if all calls take
// size bytes, and how many bytes they would take; 0 if there is none.
func (d *durations) shortest(size, limit int64) (ns, then int64) {
	all, left := int64(0), int64(0)
	for _, n := range d {
		all += n
	}
	if left = all; all == 0 {
		return 0, 0
	}
	at := 0
	for _, step := range [...]int64{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9} {
		for ; at < bits.Len64(uint64(step)); at++ {
			left -= d[at]
		}
		if then = int64(float64(size) * float64(left) / float64(all)); then <= limit*3/4 {
			if left == 0 {
				return 0, 0
			}
			return step, then
		}
	}
	return 0, 0
}

// omitted counts what is not in the export, though it is in the scope.
type omitted struct {
	reads, values, undated int64
}

func (t *omitted) reset() { *t = omitted{} }

func (t *omitted) add(o *omitted) {
	t.reads += o.reads
	t.values += o.values
	t.undated += o.undated
}

// leave counts a point of a class that is not exported.
func (t *omitted) leave(c format.Class) {
	switch c {
	case format.ClassArrayRead, format.ClassVariableRead, format.ClassFieldRead:
		t.reads++
	default:
		t.values++
	}
}

// LeftOut is what is in the scope and not in the export.
type LeftOut struct {
	What  string // for as many as Count
	Count int64
}

// LeftOut tells what the last run left out.
func (j *Job) LeftOut() (list []LeftOut) {
	for _, l := range []struct {
		n            int64
		one, several string
	}{
		{j.omitted.reads, "read of a variable, field or element", "reads of variables, fields or elements"},
		{j.omitted.values, "write of a variable, field or element", "writes of variables, fields or elements"},
		{j.omitted.undated, "event of which it is not known whether it was in that time", "events of which it is not known whether they were in that time"},
	} {
		switch {
		case l.n == 1:
			list = append(list, LeftOut{l.one, 1})
		case l.n > 0:
			list = append(list, LeftOut{l.several, l.n})
		}
	}
	return list
}

package export

import "tracex/format"

// tally counts what is not in the export, though it is in the scope.
type tally struct {
	reads, values, undated int64
}

func (t *tally) reset() { *t = tally{} }

func (t *tally) add(o *tally) {
	t.reads += o.reads
	t.values += o.values
	t.undated += o.undated
}

// leave counts a point of a class that is not exported.
func (t *tally) leave(c format.Class) {
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
		{j.tally.reads, "read of a variable, field or element", "reads of variables, fields or elements"},
		{j.tally.values, "write of a variable, field or element", "writes of variables, fields or elements"},
		{j.tally.undated, "event of which it is not known whether it was in that time", "events of which it is not known whether they were in that time"},
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

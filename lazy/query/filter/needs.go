package filter

// Needs are the facts that a match can depend on. The others need not be made.
type Needs struct {
	Values   bool // values of Point: without them [format.Version.DecodeHead] is enough
	Footer   bool // Footer and Unfinished
	Text     bool // the text of the row; Values and Footer are then set too
	Thread   bool
	Depth    bool
	At       bool
	Duration bool
	Self     bool
	Kids     bool
	Size     bool
}

// Needs returns what the filter needs, without what the filters of Subs need.
func (f *Filter) Needs() Needs { return f.needs }

func (p *part) needs() (n Needs) {
	for _, k := range p.kids {
		n = n.And(k.needs())
	}
	switch p.op {
	case opText:
		n.Text, n.Values, n.Footer = true, true, true
	case opTest:
		n = n.And(p.test.needs())
	}
	return n
}

// And returns the needs of both.
func (n Needs) And(o Needs) Needs {
	return Needs{
		Values: n.Values || o.Values, Footer: n.Footer || o.Footer, Text: n.Text || o.Text, Thread: n.Thread || o.Thread, Depth: n.Depth || o.Depth, At: n.At || o.At,
		Duration: n.Duration || o.Duration, Self: n.Self || o.Self, Kids: n.Kids || o.Kids, Size: n.Size || o.Size,
	}
}

func (t *boundTest) needs() (n Needs) {
	switch t.field.id {
	case idThread:
		n.Thread = true
	case idDepth:
		n.Depth = true
	case idAt:
		n.At = true
	case idDur:
		n.Duration = true
	case idSelf:
		n.Self = true
	case idKids:
		n.Kids = true
	case idSize:
		n.Size = true
	case idThrew, idRet:
		n.Footer = true
	case idExc, idObj:
		n.Footer, n.Values = true, true
	case idRecv, idArg, idValue:
		n.Values = true
	case idStatus:
		// The flags of a call are after its values.
		n.Footer, n.Values = t.value.status&(statusUnfinished|statusUntracked) != 0, t.value.status&statusUnderWay != 0
	}
	return n
}

package goroutines

import (
	"context"
	"errors"
	"strconv"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/literal"
)

// Statement is a go statement in a trace.
type Statement struct {
	lazy.Position
	Event int32
	Guess bool // it may have made another goroutine
}

// ErrNoStatement means that no go statement of the thread is known to have made the goroutine: the
// statement was not recorded, or its goroutine is unknown.
var ErrNoStatement = errors.New("the go statement is not in the trace")

// FindStatement finds the go statement in a thread, given by its id, that made a goroutine. It reads only
// data of the thread that has the goroutine's number. tell gets its progress; it may be nil.
func FindStatement(ctx context.Context, r *lazy.LazyTraceReader, thread int32, number int64, tell lazy.Progress) (Statement, error) {
	c := &statements{number: number}
	among := func() ([]literal.Text, bool) {
		return []literal.Text{literal.Exact(goroutine + strconv.FormatInt(number, 10))}, false
	}
	err := r.Pass(ctx, lazy.Pass{
		Raw: true, Ranges: []lazy.PassRange{{Thread: thread, To: -1}}, Collect: []lazy.Collector{c},
		Among: among, Progress: tell,
	})
	switch {
	case err != nil:
		return Statement{}, err
	case !c.found:
		return Statement{}, ErrNoStatement
	}
	return c.at, nil
}

// MadeBy reads what a go statement made: see Made.
func MadeBy(foot *format.Footer) (number int64, guess, ok bool) {
	if v := &foot.Result; v.Kind == format.ValueRawString || v.Kind == format.ValueBigDecimal {
		return Made(v.Text)
	}
	return 0, false, false
}

// statements finds a statement. It is a Collector and its own visitor.
type statements struct {
	number int64
	is     map[int32]bool // by method: whether it is a go statement
	found  bool
	at     Statement
}

func (s *statements) Visitor() lazy.Visitor         { return &statements{number: s.number} }
func (s *statements) Reset()                        { *s = statements{number: s.number} }
func (s *statements) Begin(int32, []lazy.PassFrame) {}
func (s *statements) Exit(*lazy.PassPoint)          {}
func (s *statements) Leaf(*lazy.PassPoint)          {}

// Merge prefers a certain statement to a guess, and then the first one.
func (s *statements) Merge(v lazy.Visitor) error {
	if x := v.(*statements); x.found && (!s.found || s.at.Guess && !x.at.Guess) {
		s.found, s.at = true, x.at
	}
	if s.found && !s.at.Guess {
		return lazy.ErrEnough
	}
	return nil
}

func (s *statements) Enter(p *lazy.PassPoint) {
	if p.Class != format.ClassCall || s.found && !s.at.Guess || !s.statement(p) {
		return
	}
	foot, err := p.Footer()
	if err != nil {
		p.Fail(err)
		return
	}
	if foot == nil {
		return
	}
	number, guess, ok := MadeBy(foot)
	if !ok || number != s.number || s.found && guess {
		return
	}
	s.found = true
	s.at = Statement{lazy.Position{Thread: p.Thread, At: p.At}, p.Event, guess}
}

// statement reports whether a call is a go statement.
func (s *statements) statement(p *lazy.PassPoint) bool {
	is, known := s.is[p.Ref]
	if !known {
		if s.is == nil {
			s.is = make(map[int32]bool)
		}
		m := p.Context().Method(p.Ref)
		is = m != nil && IsStatement(m.Name)
		s.is[p.Ref] = is
	}
	return is
}

// First returns the first point of a thread, given by its id, that the raw or the folded view shows. If
// there is none, it returns the position of the thread itself, and -1 for the event.
func First(ctx context.Context, r *lazy.LazyTraceReader, raw bool, thread int32) (at lazy.Position, event int32, err error) {
	f := &first{at: lazy.Position{Thread: thread, At: -1}, event: -1}
	err = r.Pass(ctx, lazy.Pass{
		Raw: raw, Ranges: []lazy.PassRange{{Thread: thread, To: -1}}, Collect: []lazy.Collector{f}, Share: 64 << 10,
	})
	return f.at, f.event, err
}

// first finds the first point. It is a Collector and its own visitor.
type first struct {
	at    lazy.Position
	event int32 // -1: none yet
}

func (f *first) Visitor() lazy.Visitor         { return &first{at: f.none(), event: -1} }
func (f *first) Reset()                        { *f = first{at: f.none(), event: -1} }
func (f *first) none() lazy.Position           { return lazy.Position{Thread: f.at.Thread, At: -1} }
func (f *first) Begin(int32, []lazy.PassFrame) {}
func (f *first) Exit(*lazy.PassPoint)          {}
func (f *first) Leaf(p *lazy.PassPoint)        { f.Enter(p) }

func (f *first) Enter(p *lazy.PassPoint) {
	if f.at.At < 0 {
		f.at.At, f.event = p.At, p.Event
	}
}

func (f *first) Merge(v lazy.Visitor) error {
	if x := v.(*first); x.at.At >= 0 {
		*f = *x
		return lazy.ErrEnough
	}
	return nil
}

// WhenBegun returns the innermost call of a thread that was open when another one began; ok is false if
// none was, or the trace does not tell.
func WhenBegun(r *lazy.LazyTraceReader, thread, of int32) (at lazy.Position, ok bool) {
	t, ok := r.ThreadTime(thread)
	if !ok {
		return at, false
	}
	m, err := r.FindTime(of, t.Start)
	return m.Position, err == nil && !m.Before && !m.After
}

package query

import (
	"context"
	"errors"
	"sync"

	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// TopSide is one of the two sides of a TopDiff: a trace, or what a handle names in it with everything below.
type TopSide struct {
	Word  string // for the heads of columns: "A", "old"
	Name  string // of the trace or the part
	R     *lazy.LazyTraceReader
	Below *lazy.Handle // nil for the whole trace
}

// FirstCall finds the first call of a method, which is named as [Row.Call] does, as recorded or as the folded view shows it. ok is false if
// there is none. The error is a [filter.Error] if the trace has no such method.
func (s *TopSide) FirstCall(ctx context.Context, raw bool, method string, tell lazy.Progress) (p HistoryPoint, ok bool, err error) {
	where, err := filter.Parse("kind=call method=" + filter.Word(method))
	if err != nil {
		return p, false, err
	}
	scope, err := ScopeOf(ctx, s.R, raw, s.Below, nil, nil)
	if errors.Is(err, ErrHidden) {
		scope, err = ScopeOf(ctx, s.R, true, s.Below, nil, nil)
	}
	if err != nil {
		return p, false, err
	}
	f := NewFind(s.R, scope.Pass(), where, 1)
	if err := f.Run(ctx, tell); err != nil {
		return p, false, err
	}
	if p.Position, ok = f.Set.Place(0); ok {
		_, p.Event, err = s.R.Find(ctx, lazy.PositionHandle(p.Position))
	}
	return p, ok, err
}

// TopDiff compares two traces, or two parts of one, by method: how much time the calls of each took in both, as a [Top] adds
// it up, and whether the difference may be chance. If one of the two has no times it compares the numbers of calls. Any
// goroutine may ask it for its table, which has no rows before Run has ended.
//
// A method has a partner with the same class, name and types; of what is left, with the same class, name and parameters, and
// then with the same class and name if only one is left on either side.
type TopDiff struct {
	sides [2]TopSide
	raw   bool
	where *filter.Expr
	timed bool

	mu   sync.Mutex // guards the field below
	tops [2]*Top    // nil before the two have been read
}

// NewTopDiff returns the TopDiff of two sides: raw or as the folded view shows them, which is raw if it does not show what a
// handle names, and only of the calls that a filter matches, unless that is nil.
func NewTopDiff(a, b TopSide, raw bool, where *filter.Expr) *TopDiff {
	d := &TopDiff{sides: [2]TopSide{a, b}, raw: raw, where: where, timed: true}
	for _, s := range d.sides {
		_, timed := s.R.Times()
		d.timed = d.timed && timed
	}
	return d
}

// Timed reports whether both sides have times.
func (d *TopDiff) Timed() bool { return d.timed }

// Check returns the error of a filter that does not fit: a [filter.Error]. Only one side needs to have what it names.
func (d *TopDiff) Check() error {
	_, err := d.wheres()
	return err
}

// wheres returns the filters of the sides.
func (d *TopDiff) wheres() (list [2]*filter.Expr, err error) {
	if d.where == nil {
		return list, nil
	}
	missing := 0
	for i, s := range d.sides {
		list[i] = d.where
		fault := Check(s.R, d.where)
		if fault == nil {
			continue
		}
		err = fault
		if !Lacks(fault) {
			return list, err
		}
		list[i] = Nothing
		missing++
	}
	if missing < len(list) {
		err = nil
	}
	return list, err
}

// Run reads the two sides, one after the other, and tells which part of them it has read. The error is that of Check, or that of [Scope.In] for what a handle names.
func (d *TopDiff) Run(ctx context.Context, tell lazy.Progress) error {
	wheres, err := d.wheres()
	if err != nil {
		return err
	}
	scopes, err := d.scopes(ctx, d.raw, wheres)
	if errors.Is(err, ErrHidden) {
		scopes, err = d.scopes(ctx, true, wheres)
	}
	if err != nil {
		return err
	}
	var tops [2]*Top
	for i, s := range d.sides {
		scope := scopes[i]
		if tops[i] = NewTop(s.R, scope, ByMethod); tops[i].Recall() {
			continue
		}
		pass := scope.Over(tops[i])
		pass.Progress = func(done, total int64) { // each side is a half
			const half = 1_000
			tell(int64(i)*half+half*done/max(total, 1), 2*half)
		}
		if err := s.R.Pass(ctx, pass); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tops = tops
	return nil
}

func (d *TopDiff) scopes(ctx context.Context, raw bool, wheres [2]*filter.Expr) (list [2]Scope, err error) {
	for i, s := range d.sides {
		if list[i], err = ScopeOf(ctx, s.R, raw, s.Below, nil, wheres[i]); err != nil {
			break
		}
	}
	return list, err
}

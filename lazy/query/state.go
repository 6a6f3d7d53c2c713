package query

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// State is what is known of a call at a point in it: its arguments, its variables, and the fields of its
// receiver, each as it was last seen before the point. It is a Collector, of the variables; any goroutine
// may ask for its table.
type State struct {
	r   *lazy.LazyTraceReader
	raw bool
	at  HistoryPoint
	// share is that of passes, see [lazy.Pass.Share]; 0 for the usual.
	share int64

	mu    sync.Mutex // guards the fields below
	call  *stateCall // nil until it is known, and without a call around the point
	last  map[string]StateValue
	from  int64 // where looking for variables began
	list  []StateValue
	other bool // there are other threads, which were not looked at
}

// StateValue is a value as it was last seen.
type StateValue struct {
	Part  StatePart
	Name  string
	Value HeldValue
	Known bool // it was seen
	Kind  SightingKind
	HistoryPoint

	box string    // the object in which Kotlin keeps the variable; "" if it is none
	of  StatePart // of a BoxedPart: where the variable is
}

// place is where the value is in the order of all.
func (v *StateValue) place() StatePart {
	if v.Part == BoxedPart {
		return v.of
	}
	return v.Part
}

// StatePart is where a value is.
type StatePart uint8

const (
	ArgumentPart StatePart = iota
	VariablePart
	FieldPart
	BoxedPart // in the object in which Kotlin keeps a variable that a lambda changes
)

func (p StatePart) String() string { return [...]string{"argument", "variable", "field", "boxed"}[p] }

// boxClass is what the names of the classes of these objects begin with, boxField the field with the value.
// mostBoxes bounds the objects that are looked into: each takes a pass.
const (
	boxClass  = "kotlin.jvm.internal.Ref$"
	boxField  = "element"
	mostBoxes = 8
)

// boxOf returns the object if a value is such a one; "" if not.
func boxOf(c *format.Context, v *format.Value) string {
	if v.Kind != format.ValueObject {
		return ""
	}
	if d := c.Class(v.ClassID); d == nil || !strings.HasPrefix(strings.ReplaceAll(d.Name, "/", "."), boxClass) {
		return ""
	}
	return objectName(c, v)
}

// stateCall is the call around a point.
type stateCall struct {
	HistoryPoint
	name, object string // object: the receiver; "" if there is none
	class        int32
	args         []HeldValue
	boxes        []string // of the arguments, as in StateValue
}

func (c *stateCall) String() string {
	text := c.name + " " + lazy.EventHandle(c.Event).String()
	if c.object != "" {
		text += " of " + c.object
	}
	return text
}

// stateBytes bounds how much of the thread before the point is looked at.
const stateBytes = 64 << 20

// NewState prepares to find the state before a point, of the call around it.
func NewState(r *lazy.LazyTraceReader, raw bool, at HistoryPoint) *State {
	s := &State{r: r, raw: raw, at: at}
	s.Reset()
	return s
}

// Run finds the state. tell gets the progress; it may be nil.
func (s *State) Run(ctx context.Context, tell lazy.Progress) error {
	call, seen, err := s.around(ctx)
	if err != nil {
		return err
	}
	if !seen {
		if shown, ok := shownAs(ctx, s.r, s.raw, s.at.Position); ok && shown.Position != s.at.Position {
			s.at = shown
			return s.Run(ctx, tell)
		}
		return fmt.Errorf("%s is %w", lazy.EventHandle(s.at.Event), ErrHidden)
	}
	if call == nil {
		return nil
	}
	s.mu.Lock()
	s.call, s.from = call, max(call.At, s.at.At-stateBytes)
	s.other = s.r.ThreadList().Len() > 1
	for i, v := range call.args {
		s.list = append(s.list, StateValue{Part: ArgumentPart, Name: strconv.Itoa(i + 1), Value: v, Known: true, Kind: Argument, HistoryPoint: call.HistoryPoint, box: call.boxes[i]})
	}
	s.mu.Unlock()
	before := []lazy.PassRange{{Thread: s.at.Thread, From: s.from, To: s.at.At}}
	if err := s.r.Pass(ctx, lazy.Pass{Raw: s.raw, Ranges: before, Collect: []lazy.Collector{s}, Share: s.share, Progress: tell}); err != nil {
		return err
	}
	s.mu.Lock()
	for _, v := range s.last {
		s.list = append(s.list, v)
	}
	s.mu.Unlock()
	if err := s.fields(ctx); err != nil {
		return err
	}
	if err := s.boxed(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.list, func(a, b StateValue) int {
		return cmp.Or(cmp.Compare(a.place(), b.place()), cmp.Compare(a.Name, b.Name))
	})
	return nil
}

// fields finds the fields of the receiver.
func (s *State) fields(ctx context.Context) error {
	if s.call.object == "" {
		return nil
	}
	last, err := s.held(ctx, s.call.object)
	if err != nil {
		return err
	}
	s.r.WithContext(func(c *format.Context) {
		for d := range c.Fields() {
			name := c.FieldName(d.ID)
			if _, ok := last[name]; !ok && d.ClassID == s.call.class && !d.Static {
				last[name] = StateValue{Part: FieldPart, Name: name}
			}
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range last {
		s.list = append(s.list, v)
	}
	return nil
}

// boxed finds the values of variables that Kotlin keeps in objects.
func (s *State) boxed(ctx context.Context) error {
	var boxes []StateValue
	for _, v := range s.list {
		if v.box != "" {
			boxes = append(boxes, v)
		}
	}
	found := make(map[string]StateValue)
	for _, v := range boxes {
		last, known := found[v.box]
		if !known {
			if len(found) == mostBoxes {
				break
			}
			fields, err := s.held(ctx, v.box)
			if err != nil {
				return err
			}
			last = fields[boxField]
			found[v.box] = last
		}
		last.Part, last.of, last.Name = BoxedPart, v.Part, v.Name+"."+boxField
		s.mu.Lock()
		s.list = append(s.list, last)
		s.mu.Unlock()
	}
	return nil
}

// held finds the fields and elements of an object as they were last seen.
func (s *State) held(ctx context.Context, object string) (map[string]StateValue, error) {
	l, err := ParseLocation(ctx, s.r, object, "")
	if err != nil {
		return nil, err
	}
	scope := Scope{Raw: s.raw, Ranges: []lazy.PassRange{{Thread: s.at.Thread, From: max(0, s.at.At-stateBytes), To: s.at.At}}}
	h := NewHistory(s.r, scope, HistoryOptions{Location: l, Keep: MostValues})
	h.share = s.share
	if err := h.Run(ctx, nil); err != nil {
		return nil, err
	}
	last := make(map[string]StateValue)
	for _, v := range h.List() {
		if v.Kind == Made {
			clear(last) // another object, or the same one as it was made
		}
		if v.Kind <= WasRead {
			last[v.Name] = StateValue{Part: FieldPart, Name: v.Name, Value: v.Value, Known: true, Kind: v.Kind, HistoryPoint: v.HistoryPoint}
		}
	}
	return last, nil
}

// LastSeen returns the fields and elements of an object as a thread saw them last before a point, or, at -1, before its
// end, by name. It looks at no more of the thread than a State.
func LastSeen(ctx context.Context, r *lazy.LazyTraceReader, raw bool, at HistoryPoint, object string) ([]StateValue, error) {
	if info, ok := r.ThreadInfo(at.Thread); ok && at.At < 0 {
		at.At = info.Bytes
	}
	last, err := NewState(r, raw, at).held(ctx, object)
	return slices.SortedFunc(maps.Values(last), func(a, b StateValue) int { return cmp.Compare(a.Name, b.Name) }), err
}

// around finds the innermost call around the point; nil if there is none. seen is false if the point is not shown.
func (s *State) around(ctx context.Context) (call *stateCall, seen bool, err error) {
	list, err := readAt(ctx, s.r, &Scope{Raw: s.raw}, []lazy.Position{s.at.Position}, func() look[*stateCall] {
		var call *stateCall
		return look[*stateCall]{
			around: func(p *lazy.PassPoint) error {
				if p.Class != format.ClassCall {
					return nil
				}
				point, err := p.Point()
				if err == nil { // the innermost comes last
					call = newStateCall(p, point)
				}
				return err
			},
			at: func(*lazy.PassPoint) (*stateCall, bool, error) { return call, true, nil },
		}
	})
	if len(list) == 0 {
		return nil, false, err
	}
	return list[0], true, err
}

func newStateCall(p *lazy.PassPoint, point *format.Point) *stateCall {
	x := p.Context()
	call := &stateCall{HistoryPoint: eventOf(p)}
	call.name, _ = x.CallName(point.Ref, point.Flags)
	if tellsObject(&point.Target) {
		call.object, call.class = objectName(x, &point.Target), point.Target.ClassID
	}
	for i := range point.Args {
		call.args, call.boxes = append(call.args, held(x, &point.Args[i])), append(call.boxes, boxOf(x, &point.Args[i]))
	}
	return call
}

// statePart finds the variables of a call in a part of the trace.
type statePart struct {
	call int64
	last map[string]StateValue
}

func (s *State) Visitor() lazy.Visitor {
	return &statePart{s.call.At, make(map[string]StateValue)}
}

func (s *State) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = make(map[string]StateValue)
}

func (s *State) Merge(v lazy.Visitor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, value := range v.(*statePart).last {
		s.last[name] = value
	}
	return nil
}

func (v *statePart) Begin(int32, []lazy.PassFrame) {}
func (v *statePart) Enter(*lazy.PassPoint)         {}
func (v *statePart) Exit(*lazy.PassPoint)          {}

func (v *statePart) Leaf(p *lazy.PassPoint) {
	if p.Class != format.ClassVariableRead && p.Class != format.ClassVariableWrite {
		return
	}
	mine := false
	p.Frames(func(f lazy.PassFrame) bool {
		mine = f.Class == format.ClassCall && f.At == v.call
		return f.Class != format.ClassCall
	})
	if !mine {
		return
	}
	point := decoded(p)
	if point == nil {
		return
	}
	c := p.Context()
	name := c.VariableName(point.Ref)
	v.last[name] = StateValue{Part: VariablePart, Name: name, Value: held(c, &point.Value), Known: true, Kind: accessKind(p.Class),
		HistoryPoint: eventOf(p), box: boxOf(c, &point.Value)}
}

// Values returns what has been found: arguments, then variables and fields, by name.
func (s *State) Values() []StateValue {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// Table returns the values as a table.
func (s *State) Table(v View) *table.Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := &answerRows[*StateValue]{columns: stateColumns, at: func(v *StateValue) (HistoryPoint, bool) { return v.HistoryPoint, v.Known }}
	t := &table.Table{
		Row: "state", Title: "state before " + lazy.EventHandle(s.at.Event).String(), Partial: v.Done < 1, Done: v.Done, Empty: "nothing was recorded",
		Columns: stateColumns.Heads(), Rows: rows,
	}
	if s.call == nil {
		if v.Done == 1 {
			t.Empty = "there is no call around it"
		}
		return t
	}
	t.Title += " " + v.G.Dot + " in " + s.call.String()
	for _, v := range s.list {
		rows.list = append(rows.list, &v)
	}
	t.Notes = s.notes()
	if s.hasBoxed() {
		t.Notes = append(t.Notes, "boxed: Kotlin keeps a variable that a lambda changes in an object; "+boxField+" is the value in it, as this thread saw it")
	}
	return t
}

// stateColumns are the columns of a State.
var stateColumns = func() (list table.Columns[*StateValue]) {
	list.Add(table.Column{Key: "part", Title: "what"}, func(v *StateValue) table.Value { return table.Str(v.Part.String()) })
	list.Add(table.Column{Key: "name", Title: "name", Least: 6, Most: 40, CutMiddle: true}, func(v *StateValue) table.Value { return table.Str(v.Name) })
	list.Add(table.Column{Key: "value", Title: "value", Least: 10, Stretch: true}, func(v *StateValue) table.Value { return table.Str(v.Value.Text).If(v.Known) })
	list.Add(table.Column{Key: "access", Title: "seen as", Priority: 1}, func(v *StateValue) table.Value {
		if !v.Known {
			return table.Str("not seen before")
		}
		return table.Str(v.Kind.String())
	})
	list.Add(table.Column{Key: "event", Title: "set by", Kind: table.Event}, func(v *StateValue) table.Value { return table.IntIf(int64(v.Event), v.Known) })
	list.Add(table.Column{Key: "handle", In: table.OnlyData}, func(v *StateValue) table.Value {
		return table.Str(lazy.PositionHandle(v.Position).String()).If(v.Known)
	})
	return list
}()

// Call describes the call around the point; "" if there is none.
func (s *State) Call() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.call == nil {
		return ""
	}
	return s.call.String()
}

// Notes returns what the values do not tell.
func (s *State) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notes()
}

// hasBoxed reports whether there are values in objects in which Kotlin keeps variables; s is locked.
func (s *State) hasBoxed() bool {
	return slices.ContainsFunc(s.list, func(v StateValue) bool { return v.Part == BoxedPart })
}

func (s *State) notes() (list []string) {
	if s.call == nil {
		return nil
	}
	if s.from > s.call.At || (s.call.object != "" || s.hasBoxed()) && s.at.At > stateBytes {
		list = append(list, "only the last "+display.Size(stateBytes)+" of the thread before the event were looked at")
	}
	if s.other && s.call.object != "" {
		list = append(list, "fields are as this thread saw them; other threads may have changed them since")
	}
	s.r.WithContext(func(c *format.Context) {
		list = append(list, doubtNotes(c, slices.Values([]int32{hashIn(s.call.object)}))...)
	})
	return list
}

package perfetto

import (
	"errors"
	"math"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
)

// callsWriter writes the data of recorders, one thread after the other.
type callsWriter struct {
	w   *writer
	r   *callsRecorder
	ids callsIDs

	translator *format.Translator // nil if the recorder's version is that of the trace
	changes    map[format.Change]int64

	referred bool                           // the references are written
	refer    func(t *calltrace.Block) error // writes them into a thread
	early    bool                           // names of threads are in their first blocks
	floor    int64                          // ns: no time is earlier
	point    format.Point
	own      int32 // the recorder's number of the event of point
	object   []byte
}

// callsThread is a thread that is being written.
type callsThread struct {
	c      *callsWriter
	id     int32            // unnumbered until it has something, if others add to the trace
	t      *calltrace.Block // nil until there is a trace point
	name   string
	parts  partOrder
	open   openCalls
	latest int64 // ns: the last header or footer
	timed  bool  // times were recorded
}

// ownClass is the id of the class that a recorder's objects may lack in the version
// that is written. No object of version 22 has such an id.
const ownClass = math.MinInt32

// callsIDs converts the ids of one recorder to those of the trace, by adding the
// number of ids that earlier recorders took. The ids stay the same if the trace is
// only that of one recorder. While others add to the trace, too, each id gets the next
// number when it is met.
type callsIDs struct {
	kinds  [ids]int32
	known  [ids]int64 // the recorder's ids are below these
	none   [ids]int64 // an id without an object in the trace
	thread int64
	event  int64
	same   bool           // all objects stay as they are
	from   format.Version // of the recorder
	to     format.Version // to write
	own    int32          // the id of ownClass in the trace

	shared *tracefile.Writer   // to which others add; nil if there are none
	met    map[reference]int32 // their ids in the trace, if it is shared
	room   *int                // how many more may be met, of all recorders
}

// ids is how many kinds of objects have ids.
const ids = int(format.KindCodeLocation) + 1

const (
	// unnumbered is the id of a thread without one.
	unnumbered = int32(-1)
	// noObject is an id that no object in the trace has.
	noObject = math.MaxInt32
	// sharedReferences bounds how many ids of recorders are remembered.
	sharedReferences = 1 << 22
)

// errNoRoom is returned for an id that does not fit after those of other recorders.
var errNoRoom = errors.New("an id that does not fit in 31 bits")

// id returns the id in the trace of a recorder's reference; -1 means none.
func (d *callsIDs) id(kind format.Kind, id int32) int32 {
	switch {
	case id < 0:
		return id
	case d.shared != nil:
		return d.sharedID(reference{kind, id})
	case int64(id) >= d.known[kind]:
		// Its description was lost. It must not use that of another recorder.
		return int32(min(d.none[kind], math.MaxInt32))
	}
	return d.kinds[kind] + id
}

// sharedID is id for a trace that is shared. The description of the object may come later.
func (d *callsIDs) sharedID(r reference) int32 {
	id, ok := d.met[r]
	if ok {
		return id
	}
	next := &d.shared.IDs[r.kind]
	if *d.room == 0 || *next == noObject {
		return noObject
	}
	id = *next
	*next++
	*d.room--
	d.met[r] = id
	return id
}

// nextThread returns the number of another thread of a trace that is shared; unnumbered if there are no more.
func (d *callsIDs) nextThread() int32 {
	if id, ok := d.shared.NextThread(); ok {
		return id
	}
	return unnumbered
}

// eventID fails for event ids that are invalid or too large.
func (d *callsIDs) eventID(id int32) (int32, error) {
	event := d.event + int64(id)
	if d.shared != nil {
		event = d.shared.Events // it is used once the event is counted
	}
	if id < 0 || event > math.MaxInt32 {
		return 0, errNoRoom
	}
	return int32(event), nil
}

// point converts the ids of a trace point.
func (d *callsIDs) point(p *format.Point) (err error) {
	p.Location = d.id(format.KindCodeLocation, p.Location)
	switch p.Class {
	case format.ClassCall:
		p.Ref = d.id(format.KindMethodDescriptor, p.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		p.Ref = d.id(format.KindFieldDescriptor, p.Ref)
	case format.ClassVariableRead, format.ClassVariableWrite:
		p.Ref = d.id(format.KindVariableDescriptor, p.Ref)
	}
	d.value(&p.Target)
	d.value(&p.Value)
	d.values(p.Args)
	if s := p.Snapshot; s != nil {
		d.snapshot(s)
	}
	p.Event, err = d.eventID(p.Event)
	return err
}

func (d *callsIDs) values(all []format.Value) {
	for i := range all {
		d.value(&all[i])
	}
}

// value converts the class of a value, and those of the values captured in it.
func (d *callsIDs) value(v *format.Value) {
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueEnum:
	default:
		return
	}
	if d.from < d.to && v.ClassID == ownClass {
		v.ClassID = d.own
	} else {
		v.ClassID = d.id(format.KindClassDescriptor, v.ClassID)
	}
	if c := v.Captured; c != nil {
		d.captured(c)
	}
}

// reference returns a reference object with the ids and in the version of the trace.
// t is nil if the version is the recorder's.
func (d *callsIDs) reference(object []byte, t *format.Translator) ([]byte, error) {
	c := format.NewContext(d.from)
	id, _, err := c.Add(object)
	if err != nil {
		return nil, err
	}
	type appender interface {
		Append([]byte, format.Version) ([]byte, error)
	}
	kind := format.Kind(object[0])
	own := d.id(kind, id)
	var o appender
	switch kind {
	case format.KindClassDescriptor:
		v := *c.Class(id)
		v.ID, o = own, &v
	case format.KindMethodDescriptor:
		v := *c.Method(id)
		v.ID, v.ClassID, o = own, d.id(format.KindClassDescriptor, v.ClassID), &v
	case format.KindFieldDescriptor:
		v := *c.Field(id)
		v.ID, v.ClassID, o = own, d.id(format.KindClassDescriptor, v.ClassID), &v
	case format.KindVariableDescriptor:
		v := *c.Variable(id)
		v.ID, o = own, &v
	case format.KindString:
		text, _ := c.Text(id)
		o = &format.StringObject{ID: own, Value: text}
	case format.KindAccessPath:
		v := *c.Path(id)
		d.steps(v.Steps)
		v.ID, o = own, &v
	default:
		v := *c.Location(id)
		if t != nil {
			t.Location(&v)
		}
		d.location(&v)
		v.ID, o = own, &v
	}
	return o.Append(nil, d.to)
}

func (d *callsIDs) steps(steps []format.AccessStep) {
	for i := range steps {
		s := &steps[i]
		switch s.Kind {
		case format.AccessVariable:
			s.Ref = d.id(format.KindVariableDescriptor, s.Ref)
		case format.AccessStaticField, format.AccessObjectField:
			s.Ref = d.id(format.KindFieldDescriptor, s.Ref)
		case format.AccessNamedElement:
			s.Ref = d.id(format.KindAccessPath, s.Ref)
		}
	}
}

func (d *callsIDs) location(l *format.CodeLocation) {
	for _, s := range []*int32{&l.File, &l.Class, &l.Method} {
		*s = d.id(format.KindString, *s)
	}
	l.Path = d.id(format.KindAccessPath, l.Path)
	for i := range l.ArgNames {
		l.ArgNames[i] = d.id(format.KindAccessPath, l.ArgNames[i])
	}
}

func (d *callsIDs) captured(c *format.Captured) {
	d.values(c.Elements)
	for i := range c.Fields {
		d.value(&c.Fields[i].Value)
	}
}

func (d *callsIDs) snapshot(s *format.Snapshot) {
	for i := range s.Stack {
		s.Stack[i] = d.id(format.KindCodeLocation, s.Stack[i])
	}
	d.values(s.Locals)
	d.values(s.Watches)
}

// references writes the recorder's references that are not written yet, into any
// thread.
func (c *callsWriter) references(t *calltrace.Block) error {
	if c.referred {
		return nil
	}
	c.referred = true
	return c.refer(t)
}

package shared

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

// eventSink is the sink of a recorder that shares memory with a service and writes track
// events. It decodes the recorded objects, in the goroutine that puts it: that takes several
// times as long as recording it.
type eventSink struct {
	served
	events  *producer.Events
	stopped atomic.Bool
	parts   atomic.Int64

	mu      sync.Mutex // guards the fields from here on, and is held while a part is put
	context *format.Context
	names   map[int32]*producer.Name // of methods
	keys    []*producer.Key          // of arguments, by position
	threads map[int32]*eventThread   // by id
	refs    []byte
	cells   []format.Cell
	point   format.Point
	footer  format.Footer
	args    []producer.Arg
	text    []byte
	known   struct {
		loop, iteration         *producer.Name
		access                  [12]*producer.Name // by class
		this, result, threw, at *producer.Key
	}
}

type eventThread struct {
	track  *producer.Track
	line   clock.Segment
	latest int64
	open   []openEvent
}

type openEvent struct {
	class format.Class
	name  *producer.Name
}

func newEventSink(r sink.Recorder, o sink.Options, p *producer.Producer) (*eventSink, error) {
	s := &eventSink{context: format.NewContext(o.Version), names: map[int32]*producer.Name{}, threads: map[int32]*eventThread{}}
	return s, s.connect(r, o, p)
}

func (s *eventSink) Begin() error {
	var err error
	s.mu.Lock()
	s.events, err = s.producer.Events(producer.EventsOptions{
		Policy: s.options.Policy, Late: s.r.Sweep,
	})
	if err == nil {
		e, known := s.events, &s.known
		known.loop, known.iteration = e.Name("code", "loop"), e.Name("code", "iteration")
		for class, text := range map[format.Class]string{
			format.ClassArrayRead: "read element", format.ClassArrayWrite: "write element",
			format.ClassVariableRead: "read variable", format.ClassVariableWrite: "write variable",
			format.ClassFieldRead: "read field", format.ClassFieldWrite: "write field",
			format.ClassThrow: "throw", format.ClassCatch: "catch",
		} {
			known.access[class] = e.Name("code", text)
		}
		known.this, known.result, known.threw, known.at = e.Key("this"), e.Key("result"), e.Key("threw"), e.Key("text")
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.awaitService(s.events.Source())
}

func (s *eventSink) Put(t sink.Thread, p buffers.Part, last bool) (left buffers.Part, err error) {
	if s.stopped.Load() || len(p.Data) == 0 && !last {
		return buffers.Part{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learn()
	st := s.threads[t.ID]
	if st == nil {
		st = &eventThread{track: s.events.Thread(t.Name, 0)}
		s.threads[t.ID] = st
	}
	err = s.decode(st, p) // the events before the fault are kept
	s.parts.Add(1)
	if last {
		if !s.options.NoTimes {
			st.moment(s, t.Ended)
		}
		for i := len(st.open) - 1; i >= 0; i-- {
			st.track.EndAt(st.at(s), st.open[i].name)
		}
		delete(s.threads, t.ID)
	}
	return buffers.Part{}, err
}

// learn takes the names that were registered.
func (s *eventSink) learn() {
	s.refs, s.cells = s.r.TakeNames(s.refs[:0], s.cells[:0])
	for b := s.refs; len(b) > 0; {
		_, n, err := s.context.Add(b)
		if err != nil || n <= 0 {
			return // impossible: it was encoded here
		}
		b = b[n:]
	}
}

func (st *eventThread) moment(s *eventSink, reading uint64) {
	if !st.line.Has(reading) {
		st.line = s.r.Clock().Around(reading)
	}
	st.latest = max(st.latest, st.line.At(reading))
}

// at returns the latest moment on the packets' clock.
func (st *eventThread) at(s *eventSink) uint64 {
	if s.options.NoTimes {
		return 0 // the present
	}
	return uint64(st.latest + s.bootOffset())
}

func (s *eventSink) decode(st *eventThread, p buffers.Part) error {
	marks, next := p.Marks, 0
	for i := 0; i < len(p.Data); {
		if next < len(marks) && marks[next].Pos() == p.First+i {
			if !s.options.NoTimes {
				st.moment(s, marks[next].Reading)
			}
			next++
		}
		n, err := s.object(st, p.Data[i:])
		if err != nil {
			return err
		}
		i += n
	}
	return nil
}

func (s *eventSink) object(st *eventThread, b []byte) (n int, err error) {
	at := st.at(s)
	s.args = s.args[:0]
	if b[0] == byte(format.KindFooter) {
		last := len(st.open) - 1
		if last < 0 {
			return 0, fmt.Errorf("a footer ends what is not open")
		}
		o := st.open[last]
		if n, err = s.options.Version.DecodeFooter(b, o.class, &s.footer); err != nil {
			return 0, err
		}
		st.open = st.open[:last]
		if o.class == format.ClassCall {
			if s.footer.Threw {
				s.args = append(s.args, producer.String(s.known.threw, s.footer.Exception))
			} else if s.footer.Result.Kind != format.ValueVoid {
				s.value(s.known.result, &s.footer.Result)
			}
		}
		st.track.EndAt(at, o.name, s.args...)
		return n, nil
	}
	p := &s.point
	if n, err = s.options.Version.DecodePoint(b, p); err != nil {
		return 0, err
	}
	name := s.name(p)
	if p.Class.Container() {
		st.open = append(st.open, openEvent{p.Class, name})
		st.track.BeginAt(at, name, s.args...)
		return n, nil
	}
	s.text = s.context.AppendText(s.text[:0], p, nil, format.Parent{}, false)
	st.track.InstantAt(at, name, producer.String(s.known.at, string(s.text)))
	return n, nil
}

// name returns the name of a point's event, and sets its arguments.
func (s *eventSink) name(p *format.Point) *producer.Name {
	switch p.Class {
	case format.ClassCall:
	case format.ClassLoop:
		return s.known.loop
	case format.ClassIteration:
		return s.known.iteration
	default:
		return s.known.access[p.Class]
	}
	if p.Target.Kind != format.ValueNull {
		s.value(s.known.this, &p.Target)
	}
	for i := range p.Args {
		for len(s.keys) <= i {
			s.keys = append(s.keys, s.events.Key(fmt.Sprint("argument ", len(s.keys)+1)))
		}
		s.value(s.keys[i], &p.Args[i])
	}
	n := s.names[p.Ref]
	if n == nil {
		class := ""
		if m := s.context.Method(p.Ref); m != nil {
			if c := s.context.Class(m.ClassID); c != nil {
				class = c.Name
			}
		}
		n = s.events.Name(class, s.context.MethodName(p.Ref))
		s.names[p.Ref] = n
	}
	return n
}

func (s *eventSink) value(k *producer.Key, v *format.Value) {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		s.args = append(s.args, producer.Int(k, v.Bits))
	case format.ValueBoolean:
		s.args = append(s.args, producer.Bool(k, v.Bits != 0))
	case format.ValueDouble:
		s.args = append(s.args, producer.Float(k, math.Float64frombits(uint64(v.Bits))))
	case format.ValueString, format.ValueRawString, format.ValueBigInteger, format.ValueBigDecimal:
		s.args = append(s.args, producer.String(k, v.Text))
	default:
		s.text = s.context.AppendValueText(s.text[:0], v)
		s.args = append(s.args, producer.String(k, string(s.text)))
	}
}

// Opened returns the classes of a thread's open containers.
func (s *eventSink) Opened(thread int32) (open []format.Class) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.threads[thread]; st != nil {
		for _, o := range st.open {
			open = append(open, o.class)
		}
	}
	return open
}

func (s *eventSink) Finish() {
	s.stopped.Store(true) // it may be set already
	s.Flush()
	s.Abandon()
}

func (s *eventSink) Abandon() {
	var source *producer.DataSource
	if s.events != nil {
		source = s.events.Source()
	}
	s.close(source)
}

func (s *eventSink) Saved() (parts, bytes int64) { return s.parts.Load(), 0 }

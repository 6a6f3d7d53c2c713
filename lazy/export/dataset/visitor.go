package dataset

import (
	"tracex/format"
	"tracex/lazy"
)

// part is the visitor of a part of the trace. Calls that begin and end in it become whole rows; of the others
// the collector joins what their parts have.
type part struct {
	c      *collector
	look   *lookup
	calls  *chunk[call]
	points *chunk[point]

	stack []frame
	begun int   // the frames at the bottom that began before the part
	seen  int64 // points of the part so far
	count int64 // calls of the part so far

	thread int32
	name   int32 // of the thread; unnamed before its first row
	moment int64 // of the next point, if no container comes before it; negative if that is not known
	runs   []run
	ends   []callEnd
}

const unnamed int32 = -2

// run is what a part has of one thread.
type run struct {
	thread        int32
	around        int // calls that were open at its begin
	calls, points int // rows of the part at its end
	ends          int // ends of the part at its end
	// open are the calls that began in it and have not ended; inner is what it adds to the innermost of those that
	// began before, if one is still open.
	open  []frame
	inner *sums
}

type frame struct {
	row    int32 // in the part's calls; -1 if it began before the part
	event  int32
	method int32
	depth  int32
	path   uint64
	first  int64 // calls of the part before it
	at     int64 // points of the part before it
	sums
}

// sums are what a call, or a part of one, has from the calls directly in it.
type sums struct {
	time        int64 // ns that they took
	kids        children
	first, last int64 // when the first began, and the last ended; first is -1 if that is not known
}

// callEnd is the end of a call that a part cannot complete.
type callEnd struct {
	frame
	begun     bool // before the part
	never     bool // the call did not end: its thread did
	time      lazy.Time
	seen      int64 // points of the part before the end
	count     int64 // calls of the part before the end
	result    int32 // in the values of the part's calls
	exception int32
}

func (v *part) Begin(thread int32, _ []lazy.PassFrame) {
	v.endRun()
	v.stack, v.begun = v.stack[:0], 0
	v.thread, v.name, v.moment = thread, unnamed, -1
	v.runs = append(v.runs, run{thread: thread})
}

func (v *part) Around(p *lazy.PassPoint) {
	if p.Class != format.ClassCall {
		return
	}
	v.push(p, -1)
	v.begun++
	v.runs[len(v.runs)-1].around++
}

func (v *part) endRun() {
	if len(v.runs) == 0 {
		return
	}
	r := &v.runs[len(v.runs)-1]
	r.calls, r.points, r.ends = len(v.calls.rows), len(v.points.rows), len(v.ends)
	r.open = append([]frame(nil), v.stack[v.begun:]...)
	if v.begun > 0 {
		s := v.stack[v.begun-1].sums
		r.inner = &s
	}
}

func (v *part) push(p *lazy.PassPoint, row int32) *frame {
	m := v.look.at(p).methodOf(p.Ref)
	f := frame{row: row, event: p.Event, method: m, first: v.count, at: v.seen, sums: sums{first: -1}}
	around := uint64(0)
	if n := len(v.stack); n > 0 {
		around, f.depth = v.stack[n-1].path, v.stack[n-1].depth+1
	}
	f.path = hashPath(around, v.look.hash(m))
	v.stack = append(v.stack, f)
	return &v.stack[len(v.stack)-1]
}

// Left is for the job: a point that is not exported counts.
func (v *part) Left(*lazy.PassPoint) { v.seen++ }

func (v *part) Enter(p *lazy.PassPoint) {
	v.moment = -1
	if p.Class != format.ClassCall {
		v.seen++
		return
	}
	r := call{
		event: p.Event, thread: v.thread, caller: none, receiverClass: none, exception: none, result: none,
		start: -1, dur: -1, self: -1, first: v.count,
	}
	if n := len(v.stack); n > 0 {
		around := &v.stack[n-1]
		r.parent, r.caller = around.event, around.method
	}
	f := v.push(p, int32(len(v.calls.rows)))
	r.method, r.depth, r.path = f.method, f.depth, f.path
	at := v.look.place(p.Location)
	r.file, r.line, r.threadName = at.file, at.line, v.threadName(p)
	if v.c.job.ValuesShown() {
		x, err := p.Point()
		if err != nil {
			return // the pass has the error
		}
		v.values(&r, x)
	}
	v.calls.rows = append(v.calls.rows, r)
	v.seen++
	v.count++
}

// values adds the receiver and the arguments of a call to its row.
func (v *part) values(r *call, x *format.Point) {
	if x.Target.Kind != format.ValueNull {
		r.receiverClass, r.receiverHash = v.look.kind(&x.Target), x.Target.Hash()
	}
	r.hasArgs, r.args = true, int32(len(v.calls.values))
	for i := range x.Args {
		v.calls.add(v.look, &x.Args[i])
	}
	r.argCount = int32(len(x.Args))
}

// threadName returns the number of the name of the thread.
func (v *part) threadName(p *lazy.PassPoint) int32 {
	if v.name == unnamed {
		name := ""
		if t := p.Context().Thread(v.thread); t != nil {
			name = t.Name
		}
		v.name = v.look.id(name)
	}
	return v.name
}

func (v *part) Exit(p *lazy.PassPoint) {
	v.moment = -1
	if p.Class != format.ClassCall || len(v.stack) == 0 {
		return
	}
	e := callEnd{frame: v.stack[len(v.stack)-1], seen: v.seen, count: v.count, time: lazy.Time{Duration: -1}, exception: none}
	v.stack = v.stack[:len(v.stack)-1]
	if e.begun = e.row < 0; e.begun {
		v.begun--
	}
	if e.never = p.State != lazy.StateWhole; !e.never && v.c.job.Timed {
		if t, ok := p.Time(); ok {
			e.time = t
			if !v.c.hides {
				v.moment = t.End()
			}
		}
	}
	e.result = none
	if !e.never {
		v.footer(&e, p)
	}
	if e.begun || e.never {
		v.ends = append(v.ends, e)
		return
	}
	r := &v.calls.rows[e.row]
	r.result, r.exception = e.result, e.exception
	r.last, r.points = v.count-1, v.seen-e.at
	up := v.c.finish(r, &e, v.look.hash(r.method))
	if n := len(v.stack); n > 0 {
		v.stack[n-1].has(&up)
	}
}

func (v *part) footer(e *callEnd, p *lazy.PassPoint) {
	f, err := p.Footer()
	if err != nil || f == nil {
		return // the pass has the error
	}
	v.look.at(p)
	switch {
	case f.Threw || f.Exception != "":
		e.exception = v.look.word(f.Exception)
	case f.Result.Kind == format.ValueUnfinished:
	case v.c.job.ValuesShown():
		e.result = v.calls.add(v.look, &f.Result)
	}
}

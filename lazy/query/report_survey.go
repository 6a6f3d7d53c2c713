package query

import (
	"cmp"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
)

// reportSurvey is what one pass over the threads of a test finds out for its report. It is a Collector.
type reportSurvey struct {
	r      *lazy.LazyTraceReader
	places map[int32]reportPlace // by code location: those in files that the output names
	calls  map[int32]*locatedEvents
	errors returnedErrors
	throws *Throws
	before lazy.Position // errors count that were returned in calls of its thread before it
	alone  bool          // those of other threads do not count
}

// reportPlace is a code location.
type reportPlace struct {
	SourceLineID
	in reportFunction
}

// reportFunction is the class and the name of a function: a trace may have several texts for each.
type reportFunction struct{ class, name string }

func (f reportFunction) compare(o reportFunction) int {
	return cmp.Or(cmp.Compare(f.class, o.class), cmp.Compare(f.name, o.name))
}

// locatedEvents are the last events at a code location.
type locatedEvents struct{ last []lazy.Position }

// mostLocated is how many events of a code location are kept.
const mostLocated = 32

// newReportSurvey returns the survey for a report about an event, or a thread.
func newReportSurvey(r *lazy.LazyTraceReader, scope Scope, at lazy.Position, places []SourceLineID) *reportSurvey {
	s := &reportSurvey{r: r, places: make(map[int32]reportPlace), before: lazy.Position{Thread: at.Thread, At: math.MaxInt64}}
	if at.At >= 0 {
		s.before.At, s.alone = at.At+1, true
	}
	s.throws = NewThrows(r, scope, reportExceptions)
	s.throws.about = &throwsBefore{thread: at.Thread, matches: s.precedes}
	files := make(map[string]bool)
	for _, p := range places {
		files[baseName(p.File)] = true
	}
	r.WithContext(func(c *format.Context) {
		for l := range c.Locations() {
			if id, ok := lineID(c, l.ID); ok && files[baseName(id.File)] {
				name, _ := c.Text(l.Method)
				s.places[l.ID] = reportPlace{id, reportFunction{format.PlaceClass(c, l), name}}
			}
		}
	})
	s.Reset()
	return s
}

// precedes reports whether what begins at a position counts.
func (s *reportSurvey) precedes(at lazy.Position) bool {
	if at.Thread != s.before.Thread {
		return !s.alone
	}
	return at.At < s.before.At
}

// lost reports whether something before a position may not have been kept, as what came after it was.
func (s *reportSurvey) lost(before lazy.Position) bool {
	return s.before != before && (s.errors.count > int64(len(s.errors.last)) || s.throws.about.dropped > 0)
}

// baseName returns the last part of a path, also of one of Windows.
func baseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

func (s *reportSurvey) Reset() {
	s.calls, s.errors = make(map[int32]*locatedEvents), returnedErrors{}
}

func (s *reportSurvey) Visitor() lazy.Visitor {
	return &surveyPart{reportSurvey{r: s.r, places: s.places, calls: make(map[int32]*locatedEvents), before: s.before, alone: s.alone}}
}

// Takes is for the pass.
func (s *reportSurvey) Takes() bool { return true }

// Take is for the pass: a visitor has a few events of each place, however long its part is.
func (s *reportSurvey) Take(lazy.Visitor) error { return nil }

func (s *reportSurvey) Merge(v lazy.Visitor) error {
	p := v.(*surveyPart)
	for id, e := range p.calls {
		for _, at := range e.last {
			s.event(id, at)
		}
	}
	s.errors.merge(&p.errors)
	return nil
}

// event keeps an event at a location.
func (s *reportSurvey) event(location int32, at lazy.Position) {
	e := s.calls[location]
	if e == nil {
		e = new(locatedEvents)
		s.calls[location] = e
	}
	if len(e.last) == mostLocated {
		e.last = append(e.last[:0], e.last[1:]...)
	}
	e.last = append(e.last, at)
}

// surveyPart is the visitor of a reportSurvey.
type surveyPart struct{ reportSurvey }

func (p *surveyPart) Begin(int32, []lazy.PassFrame) {}
func (p *surveyPart) Leaf(x *lazy.PassPoint)        { p.Enter(x) }

func (p *surveyPart) Enter(x *lazy.PassPoint) {
	if len(p.places) == 0 {
		return
	}
	if _, ok := p.places[x.Location]; ok {
		p.event(x.Location, lazy.Position{Thread: x.Thread, At: x.At})
	}
}

func (p *surveyPart) Exit(x *lazy.PassPoint) {
	at := lazy.Position{Thread: x.Thread, At: x.At}
	if x.Class != format.ClassCall || !p.precedes(at) {
		return
	}
	foot, err := x.Footer()
	if err != nil {
		x.Fail(err)
		return
	}
	if foot != nil && isError(&foot.Result) {
		p.errors.add(HistoryPoint{at, x.Event})
	}
}

// isError reports whether a result is an error with a text, or the last of several results is.
func isError(v *format.Value) bool {
	if v.ByValue() {
		v = &v.Captured.Fields[len(v.Captured.Fields)-1].Value
	}
	return v.Captured != nil && v.Captured.Message != nil
}

// returnedErrors are the last calls of each thread that returned an error.
type returnedErrors struct {
	last  []HistoryPoint
	count int64
}

// reportExceptions is how many exceptions are kept: the last ones.
var reportExceptions = MostValues // less in tests

// mostReturned is how many calls that returned an error are kept.
var mostReturned = 1 << 10 // less in tests

func (e *returnedErrors) add(p HistoryPoint) {
	if e.count++; len(e.last) == mostReturned {
		e.last = append(e.last[:0], e.last[mostReturned/2:]...)
	}
	e.last = append(e.last, p)
}

func (e *returnedErrors) merge(o *returnedErrors) {
	for _, p := range o.last {
		e.add(p)
	}
	e.count += o.count - int64(len(o.last))
}

// listErrors returns the last errors, and how many more there are.
func (s *reportSurvey) listErrors() (list []HistoryPoint, more int64) {
	list = slices.DeleteFunc(slices.Clone(s.errors.last), func(p HistoryPoint) bool { return !s.precedes(p.Position) })
	more = s.errors.count - int64(len(s.errors.last))
	// Those of the thread of the failure last, as they are next to it.
	slices.SortStableFunc(list, func(a, b HistoryPoint) int {
		return cmp.Compare(b2i(a.Thread == s.before.Thread), b2i(b.Thread == s.before.Thread))
	})
	if n := len(list) - reportList; n > 0 {
		list, more = list[n:], more+int64(n)
	}
	return list, more
}

// exceptions returns what was thrown, in the order of the table.
func (s *reportSurvey) exceptions() []Thrown {
	s.throws.mu.Lock()
	defer s.throws.mu.Unlock()
	return slices.Clone(s.throws.list)
}

// ended returns the exception that was not caught, or what ended a goroutine by runtime.Goexit, as t.Fatal does: the last one of the thread of the
// failure, or of any; nil if there is none.
func (s *reportSurvey) ended(exit, own bool) *Thrown {
	x := &s.throws.left
	if exit {
		x = &s.throws.exits
	}
	switch {
	case x.anyOwn:
		return &x.own
	case x.any && !own:
		return &x.last
	}
	return nil
}

// locate finds the events of the last call before the first place that is in a function: all those of a code location. Of several ones on a line it is
// that of the last event, as the others are part of the same. line is where they are.
func (s *reportSurvey) locate(places []SourceLineID) (events []lazy.Position, line, place SourceLineID) {
	for _, place = range places {
		in, ok := s.function(place)
		if !ok {
			continue
		}
		for id, p := range s.places {
			if s.calls[id] == nil || p.in != in || baseName(p.File) != baseName(place.File) || p.Line > place.Line || p.Line < line.Line {
				continue
			}
			list := s.calls[id].last
			if p.Line > line.Line || ComparePlaces(list[len(list)-1], events[len(events)-1]) > 0 {
				line, events = p.SourceLineID, list
			}
		}
		if len(events) > 0 {
			return events, line, place
		}
	}
	return nil, line, place
}

// function returns the function that has a place: of those around it, as far as code locations tell, the innermost; otherwise the last one
// before it.
func (s *reportSurvey) function(at SourceLineID) (in reportFunction, ok bool) {
	spans := make(map[reportFunction][2]int)
	for _, p := range s.places {
		if baseName(p.File) != baseName(at.File) {
			continue
		}
		span, seen := spans[p.in]
		if !seen {
			span = [2]int{p.Line, p.Line}
		}
		spans[p.in] = [2]int{min(span[0], p.Line), max(span[1], p.Line)}
	}
	best, around := 0, false
	for f, span := range spans {
		first, last := span[0], span[1]
		if first > at.Line {
			continue
		}
		here := last >= at.Line
		key := last
		if here {
			key = first
		}
		if here && !around || here == around && (key > best || key == best && f.compare(in) < 0) {
			in, best, around, ok = f, key, here, true
		}
	}
	return in, ok
}

// words are what a message and a row may share: numbers and names.
var words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN_.\-]+`) })

// identities are the numbers of objects, which messages do not have.
var identities = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@-?[0-9]+`) })

// sharedWords returns how many different words of a row, but for the names of the call and its classes, are in a message.
func sharedWords(row, message string) (n int) {
	in := make(map[string]bool)
	for _, w := range words().FindAllString(message, -1) {
		in[strings.Trim(w, ".")] = true
	}
	if _, values, ok := strings.Cut(row, "("); ok {
		row = values
	}
	seen := make(map[string]bool)
	for _, w := range words().FindAllString(identities().ReplaceAllString(row, " "), -1) {
		if w = strings.Trim(w, "."); in[w] && !seen[w] {
			seen[w] = true
			n++
		}
	}
	return n
}

// lineWith returns the line of an output that names a place; "" if none does.
func lineWith(output string, place SourceLineID) string {
	for line := range strings.Lines(output) {
		if strings.Contains(line, place.String()+":") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

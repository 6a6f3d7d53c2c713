package query

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

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
}

// reportPlace is a code location.
type reportPlace struct {
	SourceLineID
	in [2]int32 // the function: class and name, by the ids of their texts
}

// locatedEvents are the last events at a code location.
type locatedEvents struct{ last []lazy.Position }

// mostLocated is how many events of a code location are kept.
const mostLocated = 32

func newReportSurvey(r *lazy.LazyTraceReader, places []SourceLineID) *reportSurvey {
	s := &reportSurvey{r: r, places: make(map[int32]reportPlace)}
	files := make(map[string]bool)
	for _, p := range places {
		files[baseName(p.File)] = true
	}
	r.WithContext(func(c *format.Context) {
		for l := range c.Locations() {
			if id, ok := lineID(c, l.ID); ok && files[baseName(id.File)] {
				s.places[l.ID] = reportPlace{id, [2]int32{l.Class, l.Method}}
			}
		}
	})
	s.Reset()
	return s
}

// baseName returns the last part of a path, also of one of Windows.
func baseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

func (s *reportSurvey) Reset() {
	s.calls, s.errors = make(map[int32]*locatedEvents), returnedErrors{}
}

func (s *reportSurvey) Visitor() lazy.Visitor {
	return &surveyPart{reportSurvey{r: s.r, places: s.places, calls: make(map[int32]*locatedEvents)}}
}

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
	if x.Class != format.ClassCall {
		return
	}
	foot, err := x.Footer()
	if err != nil {
		x.Fail(err)
		return
	}
	if foot != nil && isError(&foot.Result) {
		p.errors.add(HistoryPoint{lazy.Position{Thread: x.Thread, At: x.At}, x.Event})
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

// mostReturned is how many calls that returned an error are kept.
const mostReturned = 1 << 10

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

// list returns the last ones, and how many more there are. With until only those of the thread before a position count.
func (e *returnedErrors) list(at lazy.Position, until bool) (list []HistoryPoint, more int64) {
	list = slices.Clone(e.last)
	more = e.count - int64(len(list))
	if until {
		list = slices.DeleteFunc(list, func(p HistoryPoint) bool { return p.Thread != at.Thread || p.At > at.At })
		more = 0
	}
	// Those of the thread of the failure last, as they are next to it.
	slices.SortStableFunc(list, func(a, b HistoryPoint) int {
		return cmp.Compare(b2i(a.Thread == at.Thread), b2i(b.Thread == at.Thread))
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

// ended returns the last exception that was not caught; or what ended a goroutine by runtime.Goexit, as t.Fatal does.
func (s *reportSurvey) ended(exit bool) (last *Thrown) {
	for _, e := range s.exceptions() {
		if exit && e.Outcome == Exited || !exit && (e.Outcome == Left || e.Outcome == Unknown) {
			last = &e
		}
	}
	return last
}

// locate finds the events of the last call before the first place that is in a function of which calls were recorded, all of one code location or of
// several on a line. line is where they are.
func (s *reportSurvey) locate(places []SourceLineID) (events []lazy.Position, line, place SourceLineID) {
	for _, place = range places {
		in, ok := s.function(place)
		if !ok {
			continue
		}
		for id, p := range s.places {
			if s.calls[id] == nil || p.in != in || baseName(p.File) != baseName(place.File) || p.Line > place.Line {
				continue
			}
			if p.Line > line.Line {
				line, events = p.SourceLineID, nil
			}
			if p.Line == line.Line {
				events = append(events, s.calls[id].last...)
			}
		}
		if len(events) > 0 {
			slices.SortFunc(events, ComparePlaces)
			return events, line, place
		}
	}
	return nil, line, place
}

// function returns the function that has a place: of those around it, as far as their recorded calls tell, the innermost; otherwise the last one
// before it.
func (s *reportSurvey) function(at SourceLineID) (in [2]int32, ok bool) {
	spans := make(map[[2]int32][2]int)
	for id, p := range s.places {
		if s.calls[id] == nil || baseName(p.File) != baseName(at.File) {
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
		if here && !around || here == around && (key > best || key == best && slices.Compare(f[:], in[:]) < 0) {
			in, best, around, ok = f, key, here, true
		}
	}
	return in, ok
}

// words are what a message and a row may share: numbers and names.
var words = regexp.MustCompile(`[\pL\pN_.\-]+`)

// identities are the numbers of objects, which messages do not have.
var identities = regexp.MustCompile(`@-?[0-9]+`)

// sharedWords returns how many different words of a row, but for the names of the call and its classes, are in a message.
func sharedWords(row, message string) (n int) {
	in := make(map[string]bool)
	for _, w := range words.FindAllString(message, -1) {
		in[strings.Trim(w, ".")] = true
	}
	if _, values, ok := strings.Cut(row, "("); ok {
		row = values
	}
	seen := make(map[string]bool)
	for _, w := range words.FindAllString(identities.ReplaceAllString(row, " "), -1) {
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

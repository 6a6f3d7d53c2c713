package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tracex/lazy"
)

// axisRange is what a Range step is about: a part of the recording's time, or, in a trace without times, of the
// numbers of its events. to is not included.
type axisRange struct {
	from, to int64
	timed    bool
}

// String writes the span: parseSpan reads it. Without a second end it has no end.
func (p axisRange) String() string {
	text := p.place(p.from) + ".."
	if p.to == math.MaxInt64 {
		return text
	}
	return text + p.place(p.to)
}

func (p axisRange) place(at int64) string {
	if p.timed {
		return time.Duration(at).String()
	}
	return "#" + strconv.FormatInt(at, 10)
}

// parseSpan reads a span: 1.2s..1.3s, or #100..#2000; 1.2s.. has no end.
func parseSpan(text string) (p axisRange, err error) {
	a, b, both := strings.Cut(text, "..")
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if !both || a == "" {
		return p, fmt.Errorf("%s is no range: such as 1.2s..1.3s, or #100..#2000 in a trace without times", text)
	}
	p.timed, p.to = !strings.HasPrefix(a, "#"), math.MaxInt64
	for _, end := range []struct {
		text string
		to   *int64
	}{{a, &p.from}, {b, &p.to}} {
		if end.text == "" {
			continue
		}
		if p.timed {
			d, err := time.ParseDuration(end.text)
			if err != nil || d < 0 {
				return p, fmt.Errorf("%s is no time, such as 1.2s", end.text)
			}
			*end.to = int64(d)
			continue
		}
		h, ok := lazy.ParseHandle(end.text)
		if !ok || !h.Numbered {
			return p, fmt.Errorf("%s is no number of an event, such as #1204", end.text)
		}
		*end.to = int64(h.Event)
	}
	if p.to <= p.from {
		return p, fmt.Errorf("%s ends where it begins, or before", text)
	}
	return p, nil
}

// fits returns why the span cannot be one of a trace.
func (p axisRange) fits(r *lazy.LazyTraceReader) error {
	if _, timed := r.Times(); timed != p.timed {
		if timed {
			return errors.New("this trace has times: a range of it is one of time, such as 1.2s..1.3s")
		}
		return fmt.Errorf("%w: a range of it is one of events, such as #100..#2000", lazy.ErrNoTimes)
	}
	return nil
}

// eventRanges returns the parts of the threads that have the events of a span. Numbers rise in a thread.
func eventRanges(ctx context.Context, r *lazy.LazyTraceReader, p axisRange) (list []lazy.PassRange, err error) {
	spans, err := lazy.TimelineEvents.Spans(ctx, r)
	if err != nil {
		return nil, err
	}
	list = []lazy.PassRange{} // nil would be all threads
	for i := 0; i < len(spans); {
		thread := spans[i].Thread
		first, last := spans[i].First, spans[i].Last
		for ; i < len(spans) && spans[i].Thread == thread; i++ {
			first, last = min(first, spans[i].First), max(last, spans[i].Last)
		}
		if last < p.from || first >= p.to {
			continue
		}
		g := lazy.PassRange{Thread: thread, To: -1}
		if first < p.from {
			if g.From, err = lazy.TimelineEvents.Reach(ctx, r, thread, p.from); err != nil {
				return nil, err
			}
		}
		if last >= p.to {
			if g.To, err = lazy.TimelineEvents.Reach(ctx, r, thread, p.to); err != nil {
				return nil, err
			}
		}
		if g.To < 0 || g.From < g.To {
			list = append(list, g)
		}
	}
	return list, nil
}

// intersect returns what two lists of parts have in common, in the order of the second. Each has a thread at
// most once.
func intersect(a, b []lazy.PassRange) []lazy.PassRange {
	list := []lazy.PassRange{}
	by := make(map[int32]lazy.PassRange, len(a))
	for _, g := range a {
		by[g.Thread] = g
	}
	for _, g := range b {
		h, ok := by[g.Thread]
		if !ok {
			continue
		}
		g.From = max(g.From, h.From)
		if h.To >= 0 && (g.To < 0 || h.To < g.To) {
			g.To = h.To
		}
		if g.To < 0 || g.From < g.To {
			list = append(list, g)
		}
	}
	return list
}

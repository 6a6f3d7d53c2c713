package query

import (
	"slices"

	"tracex/lazy"
	"tracex/lazy/query/histogram"
)

// mostGroups bounds how many values have a row. If there are more, a new value takes the place of the
// one with the fewest calls (the space-saving algorithm of Metwally, Agrawal and El Abbadi), and what
// is known about those that came late are lower bounds.
const mostGroups = 4096

// callGroups are calls by the value of a column.
type callGroups struct {
	list     []*callGroup
	ids      map[string]*callGroup
	most     int
	few      []*callGroup // those with the fewest calls, perhaps more by now
	fewest   int64        // their weight
	now      []*callGroup // of the part's values
	within   int64        // calls in other calls that were found
	gone     int64        // groups that others took the place of
	vague    bool         // a value that was forgotten may have come again
	largest  int64        // most calls that a group ever had
	smallest int64        // fewest calls of a group that is gone
	last     lazy.Position
}

// callGroup is the calls with one value.
type callGroup struct {
	value   callValue
	key     string
	at      int   // in the list
	before  int64 // calls that it may have had before it got a row
	calls   int64
	threw   int64
	unended int64
	total   int64 // ns: of calls in no other call that was found
	took    int64 // ns: of all
	times   histogram.Histogram
	longest int32 // event
	first   int32 // event of the first that ended
	results resultCounts
}

func newCallGroups(most int) *callGroups {
	return &callGroups{most: most, ids: make(map[string]*callGroup)}
}

// begin prepares for the values of a part.
func (g *callGroups) begin(values *valueTable) {
	g.now = slices.Grow(g.now[:0], len(values.list))[:len(values.list)]
	clear(g.now)
}

// end adds a call that has ended.
func (g *callGroups) end(values, results *valueTable, e *endedCall) {
	value := &values.list[e.value]
	group := g.now[e.value]
	if group == nil || group.at < 0 {
		key := value.key()
		if group = g.ids[key]; group == nil {
			group = g.make(value, key, e.thread)
		}
		g.now[e.value] = group
	}
	if g.last.Thread != e.thread || g.last.At < e.at {
		g.last = lazy.Position{Thread: e.thread, At: e.at}
	}
	if group.calls == 0 {
		group.first = e.event
	}
	group.calls++
	g.largest = max(g.largest, group.calls)
	if e.threw {
		group.threw++
	}
	if e.result >= 0 {
		group.results.add(&results.list[e.result])
	}
	switch {
	case e.state != lazy.StateWhole:
		group.unended++
	case e.time.Duration >= 0:
		if group.times.Count() == 0 || e.time.Duration > group.times.Max() {
			group.longest = e.event
		}
		group.times.Add(e.time.Duration)
		group.took += e.time.Duration
		if e.outer {
			group.total += e.time.Duration
		} else {
			g.within++
		}
	}
}

// make makes the group of a value that has none.
func (g *callGroups) make(value *callValue, key string, thread int32) *callGroup {
	group := &callGroup{value: *value, key: key, at: len(g.list)}
	g.ids[key] = group
	if len(g.list) < g.most {
		g.list = append(g.list, group)
		return group
	}
	least := g.least()
	delete(g.ids, least.key)
	group.at, least.at = least.at, -1
	g.list[group.at] = group
	if g.gone == 0 || least.calls < g.smallest {
		g.smallest = least.calls
	}
	g.gone++
	// A call that began after all calls seen has not been around any of them.
	if isNew := value.kind == valueCall && (g.last.Thread != thread || value.at > g.last.At); !isNew {
		g.vague = true
		group.before = least.weight()
	}
	return group
}

// weight is how many calls a group has at most.
func (g *callGroup) weight() int64 { return g.calls + g.before }

// least returns a group with the fewest calls.
func (g *callGroups) least() *callGroup {
	for {
		for len(g.few) > 0 {
			last := g.few[len(g.few)-1]
			g.few = g.few[:len(g.few)-1]
			if last.at >= 0 && last.weight() == g.fewest {
				return last
			}
		}
		g.fewest = g.list[0].weight()
		for _, x := range g.list {
			switch w := x.weight(); {
			case w < g.fewest:
				g.fewest, g.few = w, append(g.few[:0], x)
			case w == g.fewest:
				g.few = append(g.few, x)
			}
		}
	}
}

// extremes returns the fewest and the most calls of a group; sure is false if some may have more or fewer.
func (g *callGroups) extremes() (fewest, most int64, sure bool) {
	if fewest = g.smallest; g.gone == 0 && len(g.list) > 0 {
		fewest = g.list[0].calls
	}
	for _, x := range g.list {
		fewest = min(fewest, x.calls)
	}
	return fewest, g.largest, !g.vague
}

// listed returns how many calls have a row.
func (g *callGroups) listed() (calls int64) {
	for _, x := range g.list {
		calls += x.calls
	}
	return calls
}

// resultCounts counts what calls returned: their range, and the most frequent ones.
type resultCounts struct {
	list     []resultCount
	low      callValue // of numbers
	high     callValue
	numbers  bool
	others   bool  // something else than numbers
	replaced int64 // how often one took the place of another
}

// resultCount is how often a result was seen.
type resultCount struct {
	value  callValue
	calls  int64
	before int64 // as in callGroup
}

// mostResults bounds the results that are counted for a group.
const mostResults = 8

// add adds a result.
func (r *resultCounts) add(v *callValue) {
	if v.number() {
		if !r.numbers || v.compare(&r.low) < 0 {
			r.low = *v
		}
		if !r.numbers || v.compare(&r.high) > 0 {
			r.high = *v
		}
		r.numbers = true
	} else {
		r.others = true
	}
	least := -1
	for i := range r.list {
		c := &r.list[i]
		if c.value.kind == v.kind && c.value.n == v.n && c.value.text == v.text {
			c.calls++
			return
		}
		if least < 0 || c.calls+c.before < r.list[least].calls+r.list[least].before {
			least = i
		}
	}
	if len(r.list) < mostResults {
		r.list = append(r.list, resultCount{*v, 1, 0})
		return
	}
	c := &r.list[least]
	*c = resultCount{*v, 1, c.calls + c.before}
	r.replaced++
}

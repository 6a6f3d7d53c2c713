package gotrace

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/trace"

	"tracex/recorder/convert/calltrace"
)

// Names of threads that are no goroutines.
const (
	collectorName = "GC"
	worldName     = "stop-the-world"
	sweeperName   = "GC sweep of processor "
)

// stopName begins the names of ranges in which only one goroutine runs.
const stopName = "stop-the-world"

// mostSweepers bounds the threads for sweeps without a goroutine.
const mostSweepers = 1 << 10

// rangeBegins begins a call for a range of time: on the thread of the goroutine or processor
// that it is of. Those of the whole program, and stops of the world, are on threads of their own.
func (c *converter) rangeBegins(e *event) error {
	o := open{what: whatRange, name: e.name, method: c.plain(e.name)}
	if e.resource == trace.ResourceNone {
		if c.collector != nil && c.collector.find(whatRange, e.name, 0) >= 0 {
			return nil // told again at the begin of a generation
		}
		o.place = c.stacks.place(e.stack, formNone)
		return c.gc().begin(c.now, o)
	}
	t, err := c.rangeThread(e)
	if err != nil || t == nil {
		return err
	}
	if t.find(whatRange, e.name, 0) >= 0 {
		return nil
	}
	o.place = c.stacks.place(e.stack, formNone)
	if err := t.around(c.now, o); err != nil || !strings.HasPrefix(e.name, stopName) {
		return err
	}
	if c.world == nil {
		c.world = c.newThread(worldName)
	}
	o.place = c.stacks.place(e.stack, formGoroutine)
	o.number = e.of
	return c.world.begin(c.now, o)
}

// rangeThread returns the thread that a range begins on; nil if it has none.
func (c *converter) rangeThread(e *event) (*thread, error) {
	if e.resource == trace.ResourceGoroutine {
		g := c.goroutine(trace.GoID(e.of))
		s := e.stack
		if e.goroutine != g.id {
			s = nil
		}
		if err := c.begin(g, s); err != nil {
			return nil, err
		}
		if e.kind == trace.EventRangeActive { // it may be blocked
			return &g.thread, nil
		}
		return &g.thread, g.running(c.now)
	}
	g, err := c.current(e)
	if err != nil {
		return nil, err
	}
	t := c.sweepers[e.of]
	switch {
	case g != nil:
		t = &g.thread
	case t == nil && len(c.sweepers) >= mostSweepers:
		c.left[leftSweep]++
		return nil, nil
	case t == nil:
		t = c.newThread(sweeperName + strconv.FormatInt(e.of, 10))
		c.sweepers[e.of] = t
	}
	c.sweeping[e.of] = t
	return t, nil
}

// rangeEnds ends the call of a range.
func (c *converter) rangeEnds(e *event) error {
	var t *thread
	switch e.resource {
	case trace.ResourceNone:
		t = c.gc()
	case trace.ResourceGoroutine:
		g := c.goroutines[trace.GoID(e.of)]
		if g == nil || !g.begun {
			return nil
		}
		t = &g.thread
	default:
		t = c.sweeping[e.of]
		delete(c.sweeping, e.of)
	}
	if t == nil || len(t.open) == 0 {
		return nil
	}
	at := t.find(whatRange, e.name, 0)
	if at < 0 {
		return nil
	}
	var end calltrace.End
	if e.attributes != "" {
		v := calltrace.Unquoted(e.attributes)
		end.Result = &v
	}
	if err := t.end(c.now, at, &end); err != nil || c.world == nil || e.resource != trace.ResourceGoroutine {
		return err
	}
	if at = c.world.find(whatRange, e.name, e.of); at < 0 {
		return nil
	}
	return c.world.end(c.now, at, &calltrace.End{})
}

// gc returns the thread of the garbage collector.
func (c *converter) gc() *thread {
	if c.collector == nil {
		c.collector = c.newThread(collectorName)
	}
	return c.collector
}

// metricNames are short names of metrics that package runtime/metrics names.
var metricNames = map[string]string{
	"/memory/classes/heap/objects:bytes": "heap (bytes)",
	"/gc/heap/goal:bytes":                "heap goal (bytes)",
	"/sched/gomaxprocs:threads":          "GOMAXPROCS",
}

// metric sets a variable if a value has changed.
func (c *converter) metric(e *event) error {
	name := metricNames[e.name]
	if name == "" {
		name = e.name
	}
	if last, ok := c.metrics[name]; ok && last == e.value {
		return nil
	}
	c.metrics[name] = e.value
	v := calltrace.Int(int64(min(e.value, 1<<63-1)))
	return c.gc().Set(name, &v)
}

// label labels a goroutine. Labels have no stack, so that the goroutine need not begin yet.
func (c *converter) label(e *event) error {
	if e.goroutine == trace.NoGoroutine {
		return nil
	}
	g := c.goroutine(e.goroutine)
	if !g.begun {
		g.label = e.name
		return nil
	}
	return g.labeled(e.name)
}

// others returns the threads that are neither goroutines nor tasks.
func (c *converter) others() (all []*thread) {
	for _, t := range []*thread{c.collector, c.world} {
		if t != nil {
			all = append(all, t)
		}
	}
	var numbers []int64
	for n := range c.sweepers {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		all = append(all, c.sweepers[n])
	}
	return all
}

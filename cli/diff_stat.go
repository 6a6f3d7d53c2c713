package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// stat prints how much is different.
func (x *diffReport) stat() error {
	if x.json {
		return x.statJSON()
	}
	w := bufio.NewWriter(x.stdout)
	line := func(name, text string) { fmt.Fprintf(w, "%-10s%s\n", name, text) }
	line("old", x.a.title())
	line("new", x.b.title())
	if !x.stored {
		line("calls", display.Grouped(x.counts.Calls[0])+" and "+display.Grouped(x.counts.Calls[1]))
		line("equal", display.Portion(x.counts.EqualShare()))
	}
	if x.filters.given() {
		all := x.counts.Differences()
		line("match", display.Grouped(x.differences())+" of "+display.Plural(all, "difference"))
	}
	for _, k := range x.matching() {
		line(k.name, display.Grouped(k.n))
	}
	if !x.stored && !x.filters.given() {
		line("moved", display.Grouped(x.counts.Moved)+" of the removed and added")
		line("renamed", display.Grouped(x.counts.Renamed)+" of the removed and added")
	}
	if n := x.counts.Threads; n != [2]int{} {
		line("threads", fmt.Sprintf("%d only in old, %d only in new", n[0], n[1]))
	}
	if x.counts.Elsewhere > 0 {
		line("elsewhere", display.Plural(x.counts.Elsewhere, "task")+" of pools, in other threads")
	}
	if x.counts.Quiet > 0 {
		line("ignored", display.Grouped(x.counts.Quiet))
	}
	return w.Flush()
}

// matching returns how many changes of each kind count.
func (x *diffReport) matching() []diffKind {
	if x.filters.given() {
		n := x.found.Counts()
		return []diffKind{{"edited", n.Edited}, {"removed", n.Removed}, {"added", n.Added}}
	}
	return x.kinds()
}

// statLine is the JSON object of --stat. Of a stored diff, what is nil is not known. With filters, edited, removed and added are of what matches.
type statLine struct {
	Schema     int       `json:"schema"`
	Kind       string    `json:"kind"`
	Old        string    `json:"old"`
	New        string    `json:"new"`
	Calls      *[2]int64 `json:"calls,omitempty"`
	EqualCalls *int64    `json:"equal_calls,omitempty"`
	EqualShare *float64  `json:"equal_share,omitempty"`
	Edited     int64     `json:"edited"`
	Removed    int64     `json:"removed"`
	Added      int64     `json:"added"`
	Moved      *int64    `json:"moved,omitempty"`
	Renamed    *int64    `json:"renamed,omitempty"`
	Ignored    int64     `json:"ignored"`
	Elsewhere  *int64    `json:"elsewhere,omitempty"`
	Threads    *[2]int   `json:"threads_only,omitempty"`
	Match      *int64    `json:"match,omitempty"`
	Places     *int64    `json:"places,omitempty"`
}

func (x *diffReport) statJSON() error {
	c, n := &x.counts, x.matching()
	line := statLine{Schema: table.Schema, Kind: "diff", Old: x.a.title(), New: x.b.title(), Edited: n[0].n, Removed: n[1].n, Added: n[2].n, Ignored: c.Quiet}
	if !x.stored {
		share := c.EqualShare()
		line.Calls, line.EqualCalls, line.EqualShare = &c.Calls, &c.EqualCalls, &share
		line.Elsewhere, line.Threads = &c.Elsewhere, &c.Threads
		if !x.filters.given() {
			line.Moved, line.Renamed = &c.Moved, &c.Renamed
		}
	}
	if x.filters.given() {
		match, places := x.differences(), c.Differences()
		line.Match, line.Places = &match, &places
	}
	return encodeLine(x.stdout, line)
}

// encodeLine writes a JSON object as a line, with characters as they are.
func encodeLine(w io.Writer, line any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(line)
}

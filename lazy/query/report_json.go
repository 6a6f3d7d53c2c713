package query

import (
	"encoding/json"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/table"
)

// ReportJSON is a report as a JSON object. Nothing of the report is left out for its size.
type ReportJSON struct {
	Schema     int            `json:"schema"`
	Kind       string         `json:"kind"` // report
	File       string         `json:"file"` // of the trace, as commands take it
	Title      string         `json:"title"`
	Test       string         `json:"test,omitempty"`
	Output     string         `json:"output,omitempty"` // what the test printed
	Places     []ReportPlace  `json:"places,omitempty"` // that the output names
	Handle     string         `json:"handle,omitempty"` // of the event that failed, or that is the last known before
	Thread     int32          `json:"thread,omitempty"` // of that event, from 1
	ThreadName string         `json:"thread_name,omitempty"`
	Facts      []string       `json:"facts,omitempty"`
	Calls      []ReportRow    `json:"calls,omitempty"`
	Thrown     []ReportThrown `json:"thrown,omitempty"`
	Errors     []ReportRow    `json:"errors,omitempty"`
	Values     []ReportRow    `json:"values,omitempty"`
	Goroutines []ReportRow    `json:"goroutines,omitempty"`
	Parting    []string       `json:"parts,omitempty"` // where the trace parts from an older one, as text
}

// ReportPlace is a line of a source.
type ReportPlace struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// ReportRow is a line of a report.
type ReportRow struct {
	Depth   int             `json:"depth"`
	Handle  string          `json:"handle,omitempty"`
	Text    string          `json:"text,omitempty"`
	At      string          `json:"at,omitempty"`      // FILE:LINE
	Of      string          `json:"of,omitempty"`      // what it is a value of
	OnPath  bool            `json:"on_path,omitempty"` // the failure is in it, or it is that
	Failed  bool            `json:"failed,omitempty"`
	LeftOut int64           `json:"left_out,omitempty"` // how many rows it stands for
	Bound   string          `json:"left_out_bound,omitempty"`
	Printed json.RawMessage `json:"printed,omitempty"` // members of the event
}

// ReportThrown is an exception or a panic. Those of the class and the methods are as tables have them.
type ReportThrown struct {
	Handle    string `json:"handle,omitempty"`
	Exception string `json:"exception,omitempty"`
	ThrownIn  string `json:"thrown_in,omitempty"`
	Ended     string `json:"ended,omitempty"`     // calls
	CaughtIn  string `json:"caught_in,omitempty"` // or that it was not caught
	Failed    bool   `json:"failed,omitempty"`
	LeftOut   int64  `json:"left_out,omitempty"`
}

// The kinds of sections.
const (
	reportCalls = iota + 1
	reportThrown
	reportErrors
	reportValues
	reportGoroutines
)

// NoReport is the report of a trace in which nothing failed.
func NoReport(name string, facts []string) *Report {
	return &Report{Title: "nothing failed", Facts: facts, about: ReportOptions{Name: name}}
}

// JSON returns the report as a JSON object.
func (r *Report) JSON() *ReportJSON {
	o := &ReportJSON{Schema: table.Schema, Kind: "report", File: r.about.Name, Title: r.Title, Output: r.about.Output, Facts: r.Facts,
		Test: r.about.Failed, Handle: r.handle, Thread: r.thread, ThreadName: r.threadName}
	for _, p := range r.about.Places {
		o.Places = append(o.Places, ReportPlace(p))
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		switch p.kind {
		case reportCalls:
			o.Calls = p.rows()
		case reportThrown:
			for _, l := range p.Lines {
				x := ReportThrown{LeftOut: l.Omits}
				if l.thrown != nil {
					x = *l.thrown
					x.Handle, x.Failed = l.Handle, l.Here
				}
				o.Thrown = append(o.Thrown, x)
			}
		case reportErrors:
			o.Errors = p.rows()
		case reportValues:
			of := ""
			for _, row := range p.rows() {
				if row.Depth == 0 {
					of = row.Text
					continue
				}
				row.Depth, row.Of = 0, of
				o.Values = append(o.Values, row)
			}
		case reportGoroutines:
			o.Goroutines = p.rows()
		default:
			for _, l := range p.Lines {
				o.Parting = append(o.Parting, l.Text)
			}
		}
	}
	return o
}

// rows returns the lines of a section.
func (p *ReportPart) rows() (list []ReportRow) {
	for i := range p.Lines {
		l := &p.Lines[i]
		row := ReportRow{Depth: l.Depth, Handle: l.Handle, Text: l.Text, At: l.Place, OnPath: l.path, Failed: l.Here, LeftOut: l.Omits, Printed: l.printed}
		if l.Omits < 0 {
			row.LeftOut, row.Bound = 1, "at least"
		}
		list = append(list, row)
	}
	return list
}

// printed returns an event as print --json has it, but for where it is: the names of all values, arguments and results.
func (x *reporter) printed(c *format.Context, n *lazy.Node) json.RawMessage {
	if !x.o.JSON || n.IsThread() {
		return nil
	}
	if x.json == nil {
		x.json = c.JSON()
	}
	b := format.AppendJSONString([]byte(`{"kind":`), n.Point().Class.String())
	return append(x.json.AppendPoint(b, n.Point(), n.Footer()), '}')
}

package cli

import (
	"cmp"
	"context"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// changeLine is the JSON object of a change.
type changeLine struct {
	Schema  int           `json:"schema"`
	Kind    string        `json:"kind"`
	Change  string        `json:"change"` // removed, added or edited
	Event   string        `json:"event_kind,omitempty"`
	What    string        `json:"what,omitempty"`
	Path    []string      `json:"path,omitempty"`
	Old     *changedPoint `json:"old,omitempty"`
	New     *changedPoint `json:"new,omitempty"`
	Changes []changedPart `json:"changes,omitempty"`
	Events  int64         `json:"events,omitempty"` // of what only one trace has
	Moved   *movedChange  `json:"moved,omitempty"`
}

// movedChange is the partner, in the other trace, of what was moved or renamed.
type movedChange struct {
	How    string `json:"how"` // moved or renamed
	What   string `json:"what"`
	In     string `json:"in,omitempty"` // the method of the call around it
	Thread int32  `json:"thread"`       // from 1
	Handle string `json:"handle"`
}

// changedPoint is where a change is in one of the traces.
type changedPoint struct {
	Text   string `json:"text"`
	Thread int32  `json:"thread,omitempty"` // from 1
	Handle string `json:"handle,omitempty"`
	Took   *int64 `json:"took,omitempty"` // ns
}

// changedPart is a value that is another one.
type changedPart struct {
	Part string `json:"part"`
	Name string `json:"name,omitempty"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// lineSink writes changes as JSON Lines.
type lineSink struct {
	*diffReport
	told int64
}

func (s *lineSink) thread(int32)     {}
func (s *lineSink) around([]diffRow) {}
func (s *lineSink) gap(int, diffGap) {}
func (s *lineSink) row(diffRow)      {}

func (s *lineSink) change(c *diffChange) error {
	line := changeLine{Schema: table.Schema, Kind: "change", Change: c.kind, Event: c.class.String(), What: c.what, Path: c.path}
	if c.kind != "edited" {
		line.Events = c.rows
	}
	for _, v := range c.values {
		line.Changes = append(line.Changes, changedPart(v))
	}
	for i, to := range []**changedPoint{&line.Old, &line.New} {
		p, err := s.point(c, i)
		if err != nil {
			return err
		}
		*to = p
	}
	var err error
	if line.Moved, err = s.moved(c); err != nil {
		return err
	}
	if err := encodeLine(s.stdout, line); err != nil {
		return err
	}
	if s.told++; s.told == int64(s.limit) {
		return errEnoughChanges
	}
	return nil
}

// point returns where a change is in the old or the new trace; nil if it is not there.
func (x *diffReport) point(c *diffChange, side int) (*changedPoint, error) {
	event := c.events[side]
	if event < 0 {
		return nil, nil
	}
	out := &changedPoint{Text: c.texts[side]}
	if x.stored {
		out.Thread, out.Handle = c.thread+1, lazy.EventHandle(event).String()
		return out, nil
	}
	var err error
	if out.Handle, out.Thread, err = x.handle(event, side); err == nil && x.found.Took != nil {
		var took [2]int64
		if took, err = x.found.Took(event); took[side] >= 0 {
			out.Took = &took[side]
		}
	}
	return out, err
}

// moved returns the partner of a change; nil if it was neither moved nor renamed.
func (x *diffReport) moved(c *diffChange) (*movedChange, error) {
	m := c.move
	if m == nil {
		return nil, nil
	}
	side, out := 0, movedChange{How: "moved"}
	if c.events[1] < 0 {
		side = 1
	}
	if m.Renamed {
		out.How = "renamed"
	}
	x.r.WithContext(func(c *format.Context) {
		out.What = query.Subject(c, &format.Point{Class: m.Class, Ref: m.Ref})
		if m.Call >= 0 {
			out.In, _ = c.CallName(m.Method, 0)
		}
	})
	var err error
	out.Handle, out.Thread, err = x.handle(m.Event, side)
	return &out, err
}

// lines prints the changes as JSON Lines.
func (x *diffReport) lines(ctx context.Context) error {
	s := &lineSink{diffReport: x}
	err := x.walk(ctx, s)
	if err == nil {
		x.tellMore(x.more(s.told))
	}
	return err
}

// methodChange is how many changes a method has: of its calls, and of what they do themselves.
type methodChange struct {
	name                   string
	edited, removed, added int64
}

func (m *methodChange) all() int64 { return m.edited + m.removed + m.added }

// methodChanges counts changes by method.
type methodChanges struct {
	lineSink
	rows map[string]*methodChange
}

func (s *methodChanges) change(c *diffChange) error {
	name := c.in
	if c.class == format.ClassCall {
		name = c.what
	}
	m := s.rows[name]
	if m == nil {
		m = &methodChange{name: name}
		s.rows[name] = m
	}
	switch c.kind {
	case "edited":
		m.edited++
	case "removed":
		m.removed++
	case "added":
		m.added++
	}
	return nil
}

// table returns the methods, those with the most changes first.
func (s *methodChanges) table(title string) *table.Table {
	list := make([]*methodChange, 0, len(s.rows))
	for _, m := range s.rows {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *methodChange) int {
		return cmp.Or(cmp.Compare(b.all(), a.all()), cmp.Compare(a.name, b.name))
	})
	rows := make(table.List, len(list))
	for i, m := range list {
		rows[i] = []table.Value{table.Int(m.all()), table.Int(m.edited), table.Int(m.removed), table.Int(m.added), table.Str(cmp.Or(m.name, display.Unicode.None))}
	}
	count := func(key string) table.Column { return table.Column{Key: key, Title: key, Kind: table.Count} }
	return &table.Table{
		Row: "method", Title: title, Rows: rows, Sorted: "places", Empty: "the two are equal",
		Columns: []table.Column{count("places"), count("edited"), count("removed"), count("added"), {Key: "method", Title: "method", Least: 20, Stretch: true}},
	}
}

package diff

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// storedPoint is a point of a stored diff.
type storedPoint struct {
	point  format.Point
	footer format.Footer
	match  format.EventMatch
	kids   []*storedPoint
}

// storedDiff is a diff as Lincheck stores it.
type storedDiff struct {
	version    format.Version
	references [][]byte
	names      map[int32]string // of threads
	threads    []format.ThreadMatch
	roots      map[int32][]*storedPoint // by thread
	places     map[int32]string         // file and line, by code location
}

// readStored reads a recorded diff.
func readStored(t *testing.T, name string) *storedDiff {
	t.Helper()
	path := formattest.Unpack(t, name)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := format.OpenPacked(f, st.Size())
	if err != nil {
		t.Fatal(err)
	}
	d := &storedDiff{names: make(map[int32]string), roots: make(map[int32][]*storedPoint), places: make(map[int32]string)}
	if d.threads, err = p.ThreadMap(); err != nil {
		t.Fatal(err)
	}
	events, err := p.Open(format.EntryEventMap)
	if err != nil {
		t.Fatal(err)
	}
	matches, err := format.ReadEventMap(events)
	if err != nil {
		t.Fatal(err)
	}
	d.scan(t, formattest.RecordedData(t, name))
	r := lazy.ReaderOf(opened(t, path))
	err = r.Use(func() error {
		v := r.Known.Load()
		for _, s := range v.Streams.All() {
			w, err := r.WalkerOn(v, s.Thread)
			if err == nil {
				d.roots[s.Thread], err = storedChildren(w, matches, 0, 0, s.Size)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// scan takes the reference objects.
func (d *storedDiff) scan(t *testing.T, data []byte) {
	t.Helper()
	s := format.NewBytesScanner(data)
	var c *format.Context
	var locations []int32
	for s.Next() {
		if c == nil {
			c = format.NewContext(s.Version())
		}
		o := s.Object()
		if !o.Kind.Reference() {
			continue
		}
		id, _, err := c.Add(o.Bytes)
		switch {
		case err != nil:
			t.Fatal(err)
		case o.Kind == format.KindThreadName:
			d.names[id] = c.Thread(id).Name
			continue
		case o.Kind == format.KindCodeLocation:
			locations = append(locations, id)
		}
		d.references = append(d.references, slices.Clone(o.Bytes))
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	d.version = s.Version()
	for _, id := range locations {
		l := c.Location(id)
		file, _ := c.Text(l.File)
		d.places[id] = fmt.Sprint(file, ":", l.Line)
	}
}

func storedChildren(w *walk.Walker, matches []format.EventMatch, pos, ord, end int64) (list []*storedPoint, err error) {
	for {
		var e walk.NodeData
		ok, err := w.Next(pos, ord, end, &e, true)
		if !ok || err != nil {
			return list, err
		}
		p := &storedPoint{point: e.Point, footer: e.Foot, match: matches[e.Point.Event]}
		if p.kids, err = storedChildren(w, matches, e.Start, e.First, e.End); err != nil {
			return nil, err
		}
		list = append(list, p)
		pos, ord = e.Next, e.After
	}
}

// rawReference is an encoded reference object.
type rawReference []byte

func (r rawReference) Append(dst []byte, _ format.Version) ([]byte, error) {
	return append(dst, r...), nil
}

// side writes one of the two traces that a diff was made of, 0 or 1, as far as the diff has it, and opens it.
func (d *storedDiff) side(t *testing.T, n int) *lazy.LazyTraceReader {
	t.Helper()
	var data, index bytes.Buffer
	w := formattest.NewWriter(&data, &index, formattest.Options{Version: d.version})
	first := true
	for _, m := range d.threads {
		id := [...]int32{m.Left, m.Right}[n]
		if id < 0 {
			continue
		}
		to := w.Thread(id)
		if first {
			for _, r := range d.references {
				to.Reference(format.Kind(r[format.KindAt]), 0, rawReference(r))
			}
			first = false
		}
		if name := d.names[m.Thread]; name != "" {
			to.Reference(format.KindThreadName, id, &format.ThreadName{Thread: id, Name: name})
		}
		writeStored(t, to, id, n, d.roots[m.Thread])
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "side.bin")
	for name, b := range map[string][]byte{path: data.Bytes(), path + format.IndexSuffix: index.Bytes()} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return opened(t, path)
}

// writeStored writes what one side has of a list.
func writeStored(t *testing.T, to *formattest.Thread, thread int32, n int, list []*storedPoint) {
	for i, s := range list {
		kids := s.kids
		switch status := s.point.Diff; {
		case status == format.DiffRemoved && n == 1, status == format.DiffAdded && n == 0, status == format.DiffEditedNew && n == 0,
			status == format.DiffEditedOld && n == 1:
			continue
		case status == format.DiffEditedOld:
			if i+1 == len(list) || list[i+1].point.Diff != format.DiffEditedNew || len(kids) > 0 {
				t.Fatalf("event %d, as it was, is not followed by what it is", s.point.Event)
			}
			kids = list[i+1].kids
		}
		p := s.point
		if p.Event = [...]int32{s.match.Left, s.match.Right}[n]; p.Event < 0 { // around the roots
			writeStored(t, to, thread, n, kids)
			continue
		}
		p.Thread, p.Diff, p.Subtree, p.Marked = thread, format.DiffNone, nil, false
		to.Point(&p)
		writeStored(t, to, thread, n, kids)
		if p.Class.Container() {
			to.Footer(&s.footer)
		}
	}
}

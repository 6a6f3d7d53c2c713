package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
)

// aboutTrace is the content of a trace, or of the files beside it, other than data, index and
// times: how it was recorded and, for a diff, what it compares.
type aboutTrace struct {
	file   *os.File       // of a packed trace; nil if it is not packed
	packed *format.Packed // of file
	data   string         // data file; "" if no files can be beside it
	diff   bool
	opened []io.Closer
}

// about finds what is known about the trace. The caller closes it.
func (w *versionWork) about() (*aboutTrace, error) {
	f, err := os.Open(w.in.path)
	if err != nil {
		return nil, err
	}
	if !isZIP(f) {
		t := new(aboutTrace)
		if w.in.dir == "" {
			t.data = w.in.path
		}
		t.diff = t.has(format.EntryThreadMap) && t.has(format.EntryEventMap)
		return t, f.Close()
	}
	st, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	packed, err := format.OpenPacked(f, st.Size())
	if err != nil {
		return nil, errors.Join(format.At(err, w.in.path, 0), f.Close())
	}
	return &aboutTrace{file: f, packed: packed, diff: packed.IsDiff()}, nil
}

// close closes the trace and all entries that were opened.
func (t *aboutTrace) close() {
	for _, c := range t.opened {
		c.Close()
	}
	if t.file != nil {
		t.file.Close()
	}
}

func (t *aboutTrace) has(entry string) bool {
	switch {
	case t.packed != nil:
		return t.packed.Has(entry)
	case t.data != "":
		return exists(t.data + entrySuffix(entry))
	}
	return false
}

// suffixes returns those of the files beside the data.
func (t *aboutTrace) suffixes() (found []string) {
	for _, entry := range sideEntries {
		if t.has(entry) {
			found = append(found, entrySuffix(entry))
		}
	}
	return found
}

// open opens an entry that exists. It stays open until t is closed.
func (t *aboutTrace) open(entry string) (r io.ReadCloser, err error) {
	if t.packed != nil {
		r, err = t.packed.Open(entry)
		err = format.At(err, t.file.Name(), 0)
	} else {
		r, err = os.Open(t.data + entrySuffix(entry))
	}
	if err == nil {
		t.opened = append(t.opened, r)
	}
	return r, err
}

// text returns an info.txt in the form of the output version; nil if there is none.
func (t *aboutTrace) text(entry string, w *versionWork) ([]byte, error) {
	if !t.has(entry) {
		return nil, nil
	}
	r, err := t.open(entry)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	points := int64(-1) // of the traces that a diff compares
	if entry == format.EntryInfo {
		points = w.made.Points
	}
	return format.InfoFor(text, w.to, points), nil
}

// writeTo writes the files beside the data.
func (t *aboutTrace) writeTo(ctx context.Context, w *versionWork, files map[string]*tracefile.Pending) error {
	for _, entry := range sideEntries {
		if !t.has(entry) {
			continue
		}
		var from io.Reader
		if strings.HasPrefix(entry, "info.") {
			text, err := t.text(entry, w)
			if err != nil {
				return err
			}
			from = bytes.NewReader(text)
		} else {
			r, err := t.open(entry)
			if err != nil {
				return err
			}
			from = r
		}
		if _, err := io.Copy(&untilDone{ctx, files[entrySuffix(entry)]}, from); err != nil {
			return err
		}
	}
	return nil
}

// describe adds the description to the input of a packed trace. It is readable until t is closed.
func (t *aboutTrace) describe(contents *format.PackInput, w *versionWork) (err error) {
	if contents.Info, err = t.text(format.EntryInfo, w); err != nil {
		return err
	}
	if contents.Info == nil { // the reference requires one
		ended := contents.Modified.UnixMilli()
		contents.Info = format.InfoFor((&format.Info{Start: ended, End: ended}).Append(nil), w.to, w.made.Points)
	}
	if !t.diff {
		return nil
	}
	d := new(format.PackDiff)
	contents.Diff = d
	for _, e := range []struct {
		entry string
		text  *[]byte
	}{{format.EntryLeftInfo, &d.LeftInfo}, {format.EntryRightInfo, &d.RightInfo}} {
		if *e.text, err = t.text(e.entry, w); err != nil {
			return err
		}
	}
	for _, e := range []struct {
		entry string
		from  *io.Reader
	}{{format.EntryEventMap, &d.EventMap}, {format.EntryThreadMap, &d.ThreadMap}} {
		if !t.has(e.entry) {
			continue
		}
		if *e.from, err = t.open(e.entry); err != nil {
			return err
		}
	}
	return nil
}

// level returns the compression level of the packed trace being read: none, or the default.
func (t *aboutTrace) level() int {
	if t.file == nil {
		return 0
	}
	if sizeOf(t.file) < (t.packed.Size(format.EntryData)+t.packed.Size(format.EntryIndex))/10*9 {
		return 6
	}
	return 0
}

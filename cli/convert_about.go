package cli

import (
	"io"
	"os"

	"tracex/format"
)

// aboutTrace is the content of a trace, or of the files beside it, other than data, index and
// times: how it was recorded and, for a diff, what it compares.
type aboutTrace struct {
	file   *os.File       // of a packed trace; nil if it is not packed
	packed *format.Packed // of file
	data   string         // data file; "" if no files can be beside it
	info   string         // file that is in place of the info.txt beside it; "" if none is
	diff   bool
	opened []io.Closer
}

// aboutFiles is what is known about a trace that is not packed.
func aboutFiles(data, info string) *aboutTrace {
	t := &aboutTrace{data: data, info: info}
	t.diff = t.has(format.EntryThreadMap) && t.has(format.EntryEventMap)
	return t
}

// path returns the file of an entry beside the data.
func (t *aboutTrace) path(entry string) string {
	if entry == format.EntryInfo && t.info != "" {
		return t.info
	}
	return t.data + entrySuffix(entry)
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
		return exists(t.path(entry)) || entry == format.EntryInfo && t.info != "" // opening it reports that it is not there
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
		r, err = os.Open(t.path(entry))
	}
	if err == nil {
		t.opened = append(t.opened, r)
	}
	return r, err
}

// textConverter returns an info.txt in the form of another version.
type textConverter func(entry string, text []byte) ([]byte, error)

// text returns an info.txt as convert has it; nil if there is none.
func (t *aboutTrace) text(entry string, convert textConverter) ([]byte, error) {
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
	return convert(entry, text)
}

// describe adds the description to the input of a packed trace. Without one it is the end of the recording, which the
// reference requires, and points, if known. It is readable until t is closed.
func (t *aboutTrace) describe(contents *format.PackInput, points *int64, convert textConverter) (err error) {
	d := new(format.PackDiff)
	for _, e := range []struct {
		entry string
		text  *[]byte
	}{{format.EntryInfo, &contents.Info}, {format.EntryLeftInfo, &d.LeftInfo}, {format.EntryRightInfo, &d.RightInfo}} {
		if *e.text, err = t.text(e.entry, convert); err != nil {
			return err
		}
	}
	if contents.Info == nil {
		ended := contents.Modified.UnixMilli()
		if contents.Info, err = convert(format.EntryInfo, (&format.Info{Start: ended, End: ended, Points: points}).Append(nil)); err != nil {
			return err
		}
	}
	if !t.diff {
		return nil
	}
	contents.Diff = d
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

package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"tracex/format"
)

// describe adds the description of the run: the text at info, or else the files that unpack
// puts beside the data. Without either it is the end of the recording, which the reference
// requires, and points, if known.
func describe(contents *format.PackInput, data, info string, points *int64) (err error) {
	found := map[string][]byte{}
	for _, name := range sideEntries {
		path := data + entrySuffix(name)
		if name == format.EntryInfo && info != "" {
			path = info
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && path != info {
			continue
		}
		if err == nil && strings.HasPrefix(name, "info.") {
			_, err = format.ParseInfo(text)
		}
		if err != nil {
			return format.At(err, path, 0)
		}
		found[name] = text
	}
	contents.Info = found[format.EntryInfo]
	if contents.Info == nil {
		ended := contents.Modified.UnixMilli()
		contents.Info = (&format.Info{Start: ended, End: ended, Points: points}).Append(nil)
	}
	if found[format.EntryThreadMap] != nil && found[format.EntryEventMap] != nil {
		contents.Diff = &format.PackDiff{
			LeftInfo: found[format.EntryLeftInfo], RightInfo: found[format.EntryRightInfo],
			ThreadMap: bytes.NewReader(found[format.EntryThreadMap]),
			EventMap:  bytes.NewReader(found[format.EntryEventMap]),
		}
	}
	return nil
}

// completeInfo adds to the texts about the run what the version of the data requires.
func completeInfo(contents *format.PackInput, data io.ReaderAt) error {
	head := make([]byte, format.HeaderSize)
	if _, err := data.ReadAt(head, 0); err != nil {
		return err
	}
	v, err := format.CheckDataHeader(head)
	if err != nil {
		return err
	}
	contents.Info = v.CompleteInfo(contents.Info)
	if d := contents.Diff; d != nil {
		d.LeftInfo, d.RightInfo = v.CompleteInfo(d.LeftInfo), v.CompleteInfo(d.RightInfo)
	}
	return nil
}

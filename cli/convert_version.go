package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/recorder/convert/importer"
)

// versionWork is the conversion of a trace to another version of the format.
type versionWork struct {
	a      *app
	in     *input
	r      *lazy.LazyTraceReader
	to     format.Version
	output string // data file, or the packed trace
	force  bool
	mode   fs.FileMode
	made   *lazy.Translation
}

// convertVersion writes a trace in another version of the format: data, index and times, or a
// packed trace if the name of the output has that suffix. If the trace is damaged, it writes
// the undamaged part.
func (a *app) convertVersion(ctx context.Context, path, output string, force bool, to format.Version) error {
	if err := needsOutput(path, output, hintNameData); err != nil {
		return err
	}
	output, err := outputPath(path, versionName(path, to), output)
	if err != nil {
		return err
	}
	return a.withOpened(ctx, path, func(in *input, r *lazy.LazyTraceReader) error {
		if err := a.untilRead(ctx, r); err != nil {
			return err
		}
		if r.Version() == to {
			other := format.V22
			if to == other {
				other = format.V27
			}
			return &usageError{fmt.Sprintf("%s already has version %d, which %s reads", in.name, to, to.Release()),
				fmt.Sprintf("--to %d converts it for %s", other, other.Release())}
		}
		w := &versionWork{a: a, in: in, r: r, to: to, output: output, force: force, mode: 0o644}
		if st, err := os.Stat(in.path); err == nil && in.dir == "" {
			w.mode = st.Mode().Perm() | 0o200
		}
		write := w.files
		if strings.HasSuffix(output, format.PackedSuffix) {
			write = w.packed
		}
		if err := write(ctx); err != nil {
			return err
		}
		return errors.Join(w.report(), w.made.Problem)
	})
}

// versionName returns the name of the trace at path in another version: trace.v22.bin for both
// trace.v27.bin and trace.bin.
func versionName(path string, to format.Version) string {
	dir, name := filepath.Split(path)
	stem, suffix := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		stem, suffix = name[:i], name[i:]
	}
	parts := strings.Split(stem, ".")
	at := slices.IndexFunc(parts[1:], func(s string) bool { return s == "v19" || s == "v22" || s == "v27" })
	if at < 0 {
		parts, at = append(parts, ""), len(parts)-1
	}
	parts[at+1] = fmt.Sprintf("v%d", to)
	return dir + strings.Join(parts, ".") + suffix
}

// translate writes data, index and times. The file of times is left empty if there are none.
func (w *versionWork) translate(ctx context.Context, data, index, times *os.File) (err error) {
	p := w.a.newProgress("converting")
	defer p.End()
	w.made, err = w.r.Translate(ctx, w.to, lazy.TranslateFiles{Data: data, Index: index, Times: times}, p.Update)
	return err
}

// files writes the files of the trace and those beside it, which take their places
// together.
func (w *versionWork) files(ctx context.Context) error {
	about, err := w.about()
	if err != nil {
		return err
	}
	defer about.close()
	var set tracefile.Set
	defer set.Discard()
	files := make(map[string]*tracefile.Pending) // by suffix
	for _, suffix := range append(about.suffixes(), tracefile.Suffixes...) {
		if files[suffix], err = set.Create(w.output+suffix, w.mode, w.force); err != nil {
			return err
		}
	}
	times := files[format.TimesSuffix]
	err = w.translate(ctx, files[""].File, files[format.IndexSuffix].File, times.File)
	if err == nil {
		err = about.writeTo(ctx, w, files)
	}
	if err != nil {
		return set.WriteError(err)
	}
	if !w.made.Times {
		if err := importer.WithoutTimes(&set, times); err != nil {
			return err
		}
	}
	return set.Commit()
}

// packed writes a packed trace, using temporary files.
func (w *versionWork) packed(ctx context.Context) (err error) {
	if err := tracefile.Check(w.output, w.force); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return spoolHint(err, os.TempDir())
	}
	defer os.RemoveAll(dir)
	var files [3]*os.File
	for i, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		if files[i], err = os.Create(filepath.Join(dir, "trace"+suffix)); err != nil {
			return spoolHint(err, dir)
		}
		defer files[i].Close()
	}
	data, index, times := files[0], files[1], files[2]
	if err := w.translate(ctx, data, index, times); err != nil {
		return spoolHint(err, dir)
	}
	if !w.made.Whole {
		// In a packed trace, the index covers all the data.
		whole, drop, err := makeIndex(ctx, w.a, data.Name(), true)
		if err != nil {
			return err
		}
		defer drop()
		index = whole
	}
	return w.pack(ctx, data, index, times)
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
			t = aboutFiles(w.in.path, "")
		}
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

// convertText is a textConverter.
func (w *versionWork) convertText(entry string, text []byte) ([]byte, error) {
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
			text, err := t.text(entry, w.convertText)
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

func (w *versionWork) pack(ctx context.Context, data, index, times *os.File) error {
	about, err := w.about()
	if err != nil {
		return err
	}
	defer about.close()
	contents := format.PackInput{}
	if st, err := os.Stat(w.in.path); err == nil {
		contents.Modified = st.ModTime()
	}
	if err := about.describe(&contents, nil, w.convertText); err != nil {
		return err
	}
	total := int64(0)
	for _, f := range []*os.File{data, index, times} {
		if _, err := f.Seek(0, 0); err != nil {
			return err
		}
		total += sizeOf(f)
	}
	contents.Data, contents.Index = data, index
	if w.made.Times {
		contents.Times = times
	}
	return w.a.packInto(ctx, w.output, w.mode, w.force, contents, about.level(), total)
}

// report prints what was made, and each kind of guess and loss.
func (w *versionWork) report() error {
	if w.made.TimesReason != nil {
		w.a.remark("converted without times", w.made.TimesReason)
	}
	out := bufio.NewWriter(w.a.stdout)
	fmt.Fprintf(out, "%s: version %d, which %s reads; %s\n", printable(w.output), w.to, w.to.Release(), counted(w.made.Points, "event"))
	for _, line := range changeLines(w.made.Changes) {
		fmt.Fprintln(out, line)
	}
	if len(w.made.Changes) == 0 {
		fmt.Fprintln(out, "nothing was guessed or lost")
	}
	return out.Flush()
}

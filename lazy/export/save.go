package export

import (
	"context"
	"errors"
	"io"
	"slices"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
)

// ErrNothing is the error for an export without an event.
var ErrNothing = errors.New("there is nothing to export in that part of the trace")

// Save exports in a format to a file, or of a cut to several. They take their places when they are complete; of
// an export that fails, or that ctx ends, nothing is left. size is the number of bytes of all files. The errors
// are those of [Job.Write], [ErrNothing], and those of package tracefile.
func (j *Job) Save(ctx context.Context, f *Format, to Destination, tell lazy.Progress) (size int64, err error) {
	if f.Files {
		return j.saveCut(ctx, to, tell)
	}
	return SaveText(to, func(w io.Writer) error {
		var found anything
		if err := j.Run(ctx, &found, nil); err != nil {
			return err
		}
		if !found.some {
			return ErrNothing
		}
		n, err := j.Write(ctx, f, w, tell)
		if err == nil && n == 0 { // of a format that has calls only
			return ErrNothing
		}
		return err
	})
}

// anything finds out whether an export has any event. It is a collector and its own visitor, and reads no further
// than to the first.
type anything struct{ some bool }

func (a *anything) Visitor() lazy.Visitor         { return new(anything) }
func (a *anything) Reset()                        { a.some = false }
func (a *anything) Begin(int32, []lazy.PassFrame) {}
func (a *anything) Around(*lazy.PassPoint)        { a.some = true }
func (a *anything) Enter(*lazy.PassPoint)         { a.some = true }
func (a *anything) Leaf(*lazy.PassPoint)          { a.some = true }
func (a *anything) Exit(*lazy.PassPoint)          {}
func (a *anything) Merge(v lazy.Visitor) error {
	if v.(*anything).some {
		a.some = true
		return lazy.ErrEnough
	}
	return nil
}

// saveCut writes a trace: its data last, so that it never exists without the files that belong to it.
func (j *Job) saveCut(ctx context.Context, to Destination, tell lazy.Progress) (size int64, err error) {
	var set tracefile.Set
	defer set.Discard()
	var files tracefile.Files
	var all []*tracefile.Pending
	for _, f := range []struct {
		suffix string
		to     *io.Writer
	}{{format.TimesSuffix, &files.Times}, {format.IndexSuffix, &files.Index}, {"", &files.Data}} {
		if f.suffix == format.TimesSuffix && !j.Timed {
			continue
		}
		p, err := set.Create(to.Path+f.suffix, to.Mode, to.Replace)
		if err != nil {
			return 0, err
		}
		*f.to, all = p, append(all, p)
	}
	events, err := j.Cut(ctx, files, tell)
	switch {
	case err != nil:
		return 0, set.WriteError(err)
	case events == 0:
		return 0, ErrNothing
	}
	for _, p := range all {
		st, err := p.Stat()
		if err != nil {
			return 0, set.WriteError(err)
		}
		size += st.Size()
	}
	return size, set.Commit()
}

// Formats are all formats, in the order of help.
var Formats = []*Format{&perfettoFormat, &chromeFormat, &speedscopeFormat, &foldedFormat, &pprofFormat, &otlpFormat, &linesFormat, &cutFormat}

// ByName returns a format; nil if there is none of that name.
func ByName(name string) *Format {
	if i := slices.IndexFunc(Formats, func(f *Format) bool { return f.Name == name }); i >= 0 {
		return Formats[i]
	}
	return nil
}

var cutFormat = Format{Name: "cut", Suffix: ".cut.bin", What: "a trace of its own, with index and times", Raw: true, Files: true}

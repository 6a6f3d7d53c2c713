package export

import (
	"context"
	"io"
	"slices"

	"tracex/lazy"
)

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

// Write exports in a format and returns the number of bytes written. tell gets the progress; it may be nil. The
// error is a [TooLargeError] if the target could not load the result, unless the job has Force: then
// something has been written to out, which is of no use.
//
// If out can seek and be truncated, as a file can, it is begun anew should the index turn out to be wrong.
func (j *Job) Write(ctx context.Context, f *Format, out io.Writer, tell lazy.Progress) (int64, error) {
	o := &output{w: out}
	t := f.make(j, o)
	limited := &limit{target: t, f: f, j: j, out: o, tell: tell}
	if err := t.start(); err != nil {
		return o.size, err
	}
	run := j.Run
	if _, ok := t.(ownScope); ok {
		run = j.runAll
	}
	if err := run(ctx, limited, limited.progress); err != nil {
		return o.size, err
	}
	if err := t.finish(); err != nil {
		return o.size, err
	}
	o.flush()
	return o.size, o.err
}

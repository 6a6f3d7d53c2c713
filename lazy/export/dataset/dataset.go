package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tracex/lazy"
	"tracex/lazy/export"
)

// Options say how a trace is written.
type Options struct {
	// Force replaces a trace that was exported with other options.
	Force bool
	// Labels are told of the trace: which build or service recorded it, for example.
	Labels map[string]string
	// Properties are the names of properties of a packed trace that become labels, besides some that all traces of a
	// JVM have.
	Properties []string
	// Writer is the name and the version of the program: "tracex 0.1.0".
	Writer string

	limits limits                  // the zero value is usualLimits; for tests
	failed func(path string) error // see folder
}

func (o *Options) creator() string {
	if o.Writer == "" {
		return "tracex"
	}
	return o.Writer
}

// Summary is what an export has done.
type Summary struct {
	Manifest
	// Path is the directory of the trace.
	Path string
	// Kept tells that the trace was there already, exported with the same options: nothing was written. Replaced
	// tells that it was there, exported with others or damaged.
	Kept, Replaced bool
}

// Size returns the number of bytes of all files.
func (s *Summary) Size() (n int64) {
	for _, f := range s.Files {
		n += f.Bytes
	}
	return n
}

// ExistsError is the error that a dataset has a trace that was exported with other options.
type ExistsError struct {
	Path        string   // of the trace
	Differences []string // "labels (build=1), not (build=2)"
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s was exported with other options: %s", e.Path, strings.Join(e.Differences, "; "))
}

// Write exports a trace into a dataset, whose directory it makes if necessary. tell gets the progress; it may be
// nil. If the trace is there, exported with the same options, it stays; with other options the error is an
// [ExistsError] unless Force is set. A failure, the end of ctx, or of the process, leaves the dataset as it was. Several
// processes may write into one dataset. Failures to write are a [WriteError].
func Write(ctx context.Context, j *export.Job, dir string, o Options, tell lazy.Progress) (Summary, error) {
	s := Summary{Manifest: *newManifest(j, &o)}
	s.Path = filepath.Join(dir, tracePrefix+s.Trace)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return s, writeError(dir, err)
	}
	if err := clean(dir); err != nil {
		return s, err
	}
	replace, err := s.keepOrReplace(o.Force)
	if err != nil || s.Kept {
		return s, err
	}
	x, err := newFolder(dir, s.Trace)
	if err != nil {
		return s, err
	}
	defer x.discard()
	x.failed = o.failed
	if err := s.write(ctx, x, j, &o, tell); err != nil {
		return s, err
	}
	taken, err := x.publish(s.Trace, replace)
	if err != nil || !taken {
		return s, err
	}
	// Another process has exported it meanwhile.
	if replace, err = s.keepOrReplace(o.Force); err != nil || s.Kept {
		return s, err
	}
	_, err = x.publish(s.Trace, replace)
	return s, err
}

// keepOrReplace decides what happens to a trace that is there.
func (s *Summary) keepOrReplace(force bool) (replace bool, err error) {
	if _, err := os.Lstat(s.Path); err != nil {
		return false, nil
	}
	there := readManifest(s.Path)
	if there == nil {
		s.Replaced = true
		return true, nil
	}
	differences := there.differs(&s.Manifest)
	switch {
	case len(differences) > 0 && !force:
		return false, &ExistsError{s.Path, differences}
	case len(differences) == 0 && there.whole(s.Path):
		s.Manifest, s.Kept = *there, true
		return false, nil
	}
	s.Replaced = true
	return true, nil
}

// write writes all files of a trace into a folder, the manifest last.
func (s *Summary) write(ctx context.Context, x *folder, j *export.Job, o *Options, tell lazy.Progress) error {
	l := o.limits
	if l == (limits{}) {
		l = usualLimits
	}
	threads, _ := j.R.Totals()
	if n := len(j.Scope.Ranges); n > 0 {
		threads = n
	}
	n := newNames()
	c := &collector{job: j, names: n, look: n.take(), sink: newSink(x, n, o, s.Trace, threads, l)}
	c.hides = j.Scope.Timed || j.Scope.Edited() || j.Depth > 0
	defer c.sink.stop()
	if err := j.Run(ctx, c, tell); err != nil {
		return err
	}
	if err := c.finishAll(); err != nil {
		return err
	}
	s.Files, s.Threads = c.sink.files, c.threads
	for _, f := range s.Files {
		if f.Table == c.sink.calls.name {
			s.Calls += f.Rows
		} else {
			s.Points += f.Rows
		}
	}
	if p := j.R.Status().Problem; p != nil {
		s.Problem = p.Error()
	}
	f, err := x.writeTrace(&s.Manifest)
	if err != nil {
		return err
	}
	s.Files = append(s.Files, f)
	return s.Manifest.write(x)
}

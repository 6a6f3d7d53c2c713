package recording

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
)

// liveConversion makes a trace while its packets arrive: their calls go into the trace's files,
// and all else into the recording's directory until the program has ended.
type liveConversion struct {
	*perfetto.Live
	files    growingFiles
	spool    *os.File    // what is converted at the end
	rest     packetSpool // writes it
	raws     rawAdder
	progress *os.File
}

// newLiveConversion begins a conversion. Nothing is created but files in the directory.
func newLiveConversion(output string, dir *Directory) (*liveConversion, error) {
	l := &liveConversion{files: growingFiles{path: output, dir: dir}, rest: packetSpool{ready: new(readyPackets)}}
	var err error
	if l.spool, err = os.OpenFile(dir.Spool(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err
	}
	if l.progress, err = os.OpenFile(dir.Progress(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, errors.Join(err, l.spool.Close())
	}
	l.rest.Writer = l.spool
	o := l.options(dir)
	o.Progress, o.Create = l.progress, l.files.create
	l.Live = perfetto.NewLive(o)
	return l, nil
}

func (l *liveConversion) options(dir *Directory) perfetto.LiveOptions {
	return perfetto.LiveOptions{
		Options: perfetto.Options{TempDir: filepath.Dir(l.files.path), FormatVersion: format.Version(dir.About.FormatVersion)},
		Rest:    &l.rest,
		Before:  l.raws.add,
	}
}

// resumeLive continues the conversion of a process that was killed. spool is at its end. The error
// is perfetto.ErrNoProgress if no calls had been converted.
func resumeLive(output string, dir *Directory, spool *os.File) (*liveConversion, error) {
	progress, err := os.ReadFile(dir.Progress())
	if errors.Is(err, os.ErrNotExist) {
		err = perfetto.ErrNoProgress
	}
	if err != nil {
		return nil, err
	}
	l := &liveConversion{files: growingFiles{path: output}, spool: spool, rest: packetSpool{Writer: spool, ready: new(readyPackets)}}
	o := l.options(dir)
	// If this process is killed too, the next one begins where it began.
	o.Progress = io.Discard
	if l.Live, err = perfetto.ResumeLive(o, progress, l.files.resume); err != nil {
		return nil, errors.Join(err, l.files.close())
	}
	return l, nil
}

// Taken returns a mark for Advance.
func (l *liveConversion) Taken() int {
	if l.Failed() != nil {
		l.rest.Taken()
	}
	return l.Live.Taken()
}

// Advance writes what was taken before a mark to the files of the trace. If the trace is made from raw
// files, the calls that were taken before the mark may be added to it.
func (l *liveConversion) Advance(mark int) error {
	if l.Failed() != nil {
		return l.rest.Advance(mark)
	}
	if err := l.Live.Advance(mark); err != nil {
		return l.files.writeError(err)
	}
	return nil
}

// Write takes packets. It never changes them, but keeps them.
func (l *liveConversion) Write(packets []byte) (int, error) { return len(packets), l.Take(packets) }

// end ends the trace. The error is perfetto.ErrNoCalls if no calls were converted.
func (l *liveConversion) end(ctx context.Context) (made *importer.Result, damage, err error) {
	l.Programs = l.raws.programs()
	result, err := l.End(ctx, func() (io.Reader, error) {
		_, err := l.spool.Seek(0, io.SeekStart)
		return l.spool, err
	})
	if result == nil {
		l.raws.made = nil // the trace has no end
	} else {
		damage, err = format.At(err, l.spool.Name(), 0), nil
	}
	return importer.OfPackets(result), damage, errors.Join(err, l.files.end())
}

// close releases the conversion. The files stay.
func (l *liveConversion) close() {
	l.Close()
	_ = l.files.close() // end has reported its failure
	_ = l.spool.Close()
	if l.progress != nil {
		_ = l.progress.Close()
	}
}

// salvage ends the trace with what was converted before the conversion failed. What followed is
// in the spool.
func (l *liveConversion) salvage(ctx context.Context, dir *Directory) (*importer.Result, error) {
	again, err := resumeLive(l.files.path, dir, l.spool)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	result, err := again.End(ctx, func() (io.Reader, error) { return strings.NewReader(""), nil })
	return importer.OfPackets(result), errors.Join(err, again.files.end())
}

// rawAdder adds what instrumented programs have recorded to the end of a trace that was begun with packets.
// It adds raw files last, because a trace that a killed process has begun can be continued with packets, but
// not with raw files.
type rawAdder struct {
	begin func(what string) importer.Progress
	files []string              // none: nothing is added
	made  *instrumented.Summary // nil if they could not be added
}

// add is for perfetto.LiveOptions.
func (r *rawAdder) add(ctx context.Context, to *tracefile.Writer, time func(monotonic int64) (ns int64, known bool)) error {
	if _, known := time(0); !known || len(r.files) == 0 {
		return nil
	}
	p := r.begin(convertingRaws)
	defer p.End()
	o := instrumented.Options{Programs: true, Progress: p.Update, Begun: to}
	o.Time = func(monotonic int64) int64 {
		ns, _ := time(monotonic)
		return ns
	}
	c, err := instrumented.New(tracefile.Files{}, o)
	if err != nil {
		return err
	}
	for _, f := range r.files {
		c.Add(f)
		c.Ended(f)
	}
	if r.made, err = c.Complete(ctx); err != nil {
		c.Close()
	}
	return err
}

// programs returns the processes of the files, for names.
func (r *rawAdder) programs() (all []*tracefile.Program) {
	for _, p := range splitProcesses(r.files) {
		if p.name != "" {
			all = append(all, &tracefile.Program{PID: uint64(p.packets.PID), Name: p.name})
		}
	}
	return all
}

// added reports whether calls of instrumented programs are in the trace.
func (r *rawAdder) added() bool { return r.made != nil && r.made.Events() > 0 }

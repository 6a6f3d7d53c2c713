package recording

import (
	"context"

	"tracex/format/tracefile"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
)

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

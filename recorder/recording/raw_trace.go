package recording

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
)

// finish converts the rest, adds the packets in the file at spool, or only those of a process, and ends the trace.
// joiner has added some already if it is not nil. If there are no events of instrumented programs, the packets are
// left alone.
func (t *Trace) finish(ctx context.Context, c *instrumented.Converter, joiner *packetJoiner, spool string, process *perfetto.Process) (err error) {
	t.Raws, err = c.Complete(ctx)
	if err != nil || t.Raws.Events() == 0 || joiner == nil && spool == "" {
		return errors.Join(err, c.End())
	}
	if joiner == nil {
		if joiner, err = newPacketJoiner(spool, process, c.Trace()); err != nil {
			t.Lost = err
			return c.End()
		}
		defer joiner.close()
	}
	own, damage, lost := joiner.join(ctx)
	t.Packets, t.damage, t.Lost = importer.OfPackets(own), damage, lost
	if t.Lost != nil {
		return errors.Join(ctx.Err(), c.End())
	}
	return nil
}

// packetTrace makes the trace of packets alone. The error is importer.ErrNoEvents if nothing is in them, or else
// a [*KeptError].
func (m *maker) packetTrace(ctx context.Context, spool string) (made *importer.Result, damage, err error) {
	c := m.conversion()
	c.NotEmpty = true
	if made, damage, err = c.Packets(ctx, spool); err != nil && !errors.Is(err, importer.ErrNoEvents) {
		err = &KeptError{err, "the recording", spool}
	}
	return made, damage, err
}

// onlyPackets is packetTrace for a recording in which no instrumented program ran, and tells what is in the trace.
func (m *maker) onlyPackets(ctx context.Context, spool string) error {
	made, damage, err := m.packetTrace(ctx, spool)
	if err != nil {
		return err
	}
	if damage != nil {
		m.Listener.Remark("part of the recording is missing", damage)
	}
	return m.Listener.Converted(m.Output, made)
}

// spoolBeside returns the path of the packets in a folder of raw files; "" if there are none. What
// programs had not sent when they ended follows them in a temporary file, which done removes.
func (m *maker) spoolBeside(folder string) (spool string, done func(), err error) {
	done = func() {}
	spool = SpoolIn(folder)
	if st, err := os.Stat(spool); err != nil || !st.Mode().IsRegular() {
		return "", done, nil
	}
	if live, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*"+recorder.LiveSuffix)); live == nil {
		return spool, done, nil
	}
	from, err := os.Open(spool)
	if err != nil {
		return "", done, err
	}
	defer from.Close()
	to, err := os.CreateTemp("", "tracex-packets-*")
	if err != nil {
		return "", done, err
	}
	done = func() { _ = os.Remove(to.Name()) }
	if _, err = io.Copy(to, from); err == nil {
		finishRecorders(m.Listener, folder, "", to)
	}
	return to.Name(), done, errors.Join(err, to.Close())
}

// convertingRaws is what a progress bar says.
const convertingRaws = "writing the trace"

// convertRaws makes a trace of raw files whose programs are gone, or are treated so, and of
// packets, see finish. If the raw files have no events, it makes none.
func (m *maker) convertRaws(ctx context.Context, files []string, spool string, process *perfetto.Process, to *growingFiles) (made Trace, err error) {
	p := m.Listener.Begin(convertingRaws)
	defer p.End()
	c, err := instrumented.New(to.writers(), instrumented.Options{Version: m.Version, Programs: len(files) > 1, NotEmpty: true, Progress: p.Update, Elsewhere: m.elsewhere})
	if err != nil {
		return made, err
	}
	for _, f := range files {
		c.Add(f)
		c.Ended(f)
	}
	made.Path = to.path
	err = made.finish(ctx, c, nil, spool, process)
	return made, errors.Join(err, to.end())
}

// several reports whether there may be several traces, each of programs that have ended.
func (m *maker) several() bool { return m.Split || m.Keep != nil }

// tellRecorded tells what is in a trace, or in those of Split or Keep, and what is not.
func (m *maker) tellRecorded(made *Trace) {
	traces := m.traces
	if !m.several() {
		traces = []Trace{*made}
	}
	m.Listener.Recorded(traces, made.Raws)
}

// packetJoiner adds the packets in a file, which programs record by package recorder, to a trace that is made
// of raw files. It takes turns with the conversion of the raw files, so that both write one trace.
type packetJoiner struct {
	*perfetto.Joiner
	in *os.File
}

// newPacketJoiner joins all packets, or those of a process.
func newPacketJoiner(spool string, process *perfetto.Process, to *tracefile.Writer) (*packetJoiner, error) {
	in, err := os.Open(spool)
	if err != nil {
		return nil, err
	}
	return &packetJoiner{perfetto.NewJoiner(perfetto.Options{TempDir: filepath.Dir(spool), Process: process}, in, to), in}, nil
}

func (p *packetJoiner) close() {
	p.Close()
	_ = p.in.Close() // it was only read
}

// join adds the rest, and ends the trace unless it fails. damage is that of the packets.
func (p *packetJoiner) join(ctx context.Context) (own *perfetto.Result, damage, err error) {
	own, damage, err = p.Join(ctx, sizeOf(p.in))
	return own, format.At(damage, p.in.Name(), 0), err
}

// sizeOf returns the size of an open file, 0 if unknown.
func sizeOf(f *os.File) int64 {
	st, err := f.Stat()
	if err != nil {
		return 0
	}
	return st.Size()
}

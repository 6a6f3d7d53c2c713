package walk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/summary"
	"tracex/lazy/internal/trace"
)

// SummaryLeast is the size of the data from which the explorer makes a summary, in bytes.
const SummaryLeast = 64 << 20

// SummaryUnit is how much of a thread a unit of a summary has, in bytes.
const SummaryUnit = 1 << 20

// SummaryOptions tell how a summary is made.
type SummaryOptions struct {
	// Tables gets all points of the folded view, and returns the tables of the summary when they
	// have been merged. Parts of a thread have Unit bytes.
	Tables Collector
	Encode func() ([]byte, error)
	// Gently takes half of the time of one processor at most, and none while other passes run.
	Gently   bool
	Progress trace.Progress
	// Unit is the size of a unit, in bytes; 0 for SummaryUnit. Tests make it small.
	Unit int64
}

// ErrNoSummary is the error of making a summary of a trace that gets none.
var ErrNoSummary = errors.New("no summary is made of this trace")

var (
	errIncomplete = fmt.Errorf("%w: it is damaged, incomplete or still being recorded", ErrNoSummary)
	errPackedSum  = fmt.Errorf("%w: it is packed", ErrNoSummary)
	errChanged    = errors.New("the trace changed while it was read")
)

// Write makes the summary file of the trace, beside it, in place of the one that is there. It
// reads the data twice. It waits for what the reader does in the background.
func (f SummaryFile) Write(ctx context.Context, o SummaryOptions) error {
	err := f.write(ctx, o)
	saved(&f.r.Summary, err)
	return err
}

func (f SummaryFile) write(ctx context.Context, o SummaryOptions) error {
	r := f.r
	m, err := newSummaryMaker(ctx, r, o)
	if err != nil {
		return err
	}
	path := r.SummaryPath()
	st, err := os.Stat(r.Path)
	if err != nil {
		return err
	}
	out, err := tracefile.Create(path, st.Mode().Perm()|0o200, true)
	if err != nil {
		return err
	}
	defer out.Discard()
	w := bufio.NewWriterSize(out, 1<<18)
	if err := m.make(ctx, w); err != nil {
		return tracefile.WriteError(path, err)
	}
	if err := w.Flush(); err != nil {
		return tracefile.WriteError(path, err)
	}
	return out.Commit()
}

// ErrSummary is the error of a summary that is not what its trace has in it.
var ErrSummary = errors.New("the summary does not agree with the data")

// Verify makes the summary of the trace again, and compares it with the file beside the
// trace. The error is [fs.ErrNotExist] if there is none, and wraps ErrSummary if it is another one.
func (f SummaryFile) Verify(ctx context.Context, o SummaryOptions) error {
	r := f.r
	m, err := newSummaryMaker(ctx, r, o)
	if err != nil {
		return err
	}
	path := r.SummaryPath()
	there, err := os.Open(path)
	if err != nil {
		return err
	}
	defer there.Close()
	c := &comparer{r: bufio.NewReaderSize(there, 1<<18)}
	if err = m.make(ctx, c); err == nil {
		err = c.end()
	}
	if errors.Is(err, ErrSummary) {
		return &format.Error{File: path, Offset: c.at, Err: err}
	}
	return err
}

// comparer is a writer that compares what is written with what is there.
type comparer struct {
	r   *bufio.Reader
	at  int64
	buf []byte
}

func (c *comparer) Write(b []byte) (int, error) {
	c.buf = append(c.buf[:0], make([]byte, len(b))...)
	n, err := io.ReadFull(c.r, c.buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	if !bytes.Equal(c.buf[:n], b) {
		return 0, ErrSummary
	}
	c.at += int64(n)
	return n, nil
}

func (c *comparer) end() error {
	if _, err := c.r.ReadByte(); err != io.EOF {
		return ErrSummary
	}
	return nil
}

// summaryMaker makes the summary of one view.
type summaryMaker struct {
	SummaryOptions
	r      *Reader
	v      *index.View
	of     summary.Of
	extra  []*summary.Unit // by unit: what the folded view has besides
	out    *summary.Writer
	record []byte
	worked time.Time // when the last part began
}

// newSummaryMaker prepares a summary of what is known once the background work has ended.
func newSummaryMaker(ctx context.Context, r *Reader, o SummaryOptions) (*summaryMaker, error) {
	if err := r.Wait(ctx); err != nil {
		return nil, err
	}
	if o.Unit == 0 {
		o.Unit = SummaryUnit
	}
	m := &summaryMaker{SummaryOptions: o, r: r, v: r.Known.Load()}
	if st := r.Now(); st.Phase != trace.PhaseReady || st.Problem != nil || st.Unfinished > 0 || !m.v.Complete || !m.v.EOF {
		return nil, errIncomplete
	}
	if r.SummaryPath() == "" {
		return nil, errPackedSum
	}
	var err error
	m.of, err = r.SummaryOf()
	return m, err
}

// make reads the trace and writes its summary.
func (m *summaryMaker) make(ctx context.Context, w io.Writer) error {
	streams := make([]summary.Stream, m.v.Streams.Len())
	for i, s := range m.v.Streams.All() {
		streams[i] = summary.Stream{Thread: s.Thread, Size: s.Size}
	}
	folded := &unitCollector{m: m, folded: true}
	if err := m.pass(ctx, 0, folded, m.Tables); err != nil {
		return err
	}
	tables, err := m.Encode()
	if err != nil {
		return err
	}
	m.out = summary.NewWriter(w, m.Unit, streams)
	if err := m.pass(ctx, 1, &unitCollector{m: m}); err != nil {
		return err
	}
	if err := m.unchanged(); err != nil {
		return err
	}
	return m.out.End(m.of, tables)
}

// unchanged checks that the trace is the one with which it began.
func (m *summaryMaker) unchanged() error {
	st, err := os.Stat(m.r.Path)
	if err != nil {
		return err
	}
	of, err := m.r.SummaryOf()
	if err != nil {
		return err
	}
	if m.r.Known.Load() != m.v || of != m.of || st.Size() != of.Data.Size || m.r.Now().Problem != nil {
		return errChanged
	}
	return nil
}

// pass runs one of two passes.
func (m *summaryMaker) pass(ctx context.Context, number int64, c ...Collector) error {
	p := Pass{Raw: number == 1, Collect: c, cut: UsualPassCut(), exact: true, unawaited: m.Gently}
	p.cut.Bytes = m.Unit
	if m.Gently {
		p.cut.Width = 1
	}
	m.worked = time.Now()
	p.Progress = func(done, total int64) {
		if m.Progress != nil {
			m.Progress(number*total+done, 2*total)
		}
		m.rest(ctx)
	}
	if err := m.r.Pass(ctx, p); err != nil {
		return err
	}
	if problem := m.r.Now().Problem; problem != nil {
		return fmt.Errorf("%w: %w", errIncomplete, problem)
	}
	return nil
}

// rest waits for as long as the last part took, if that is asked for.
func (m *summaryMaker) rest(ctx context.Context) {
	if !m.Gently {
		return
	}
	trace.Pause(ctx, time.Since(m.worked))
	m.r.Summary.Passes.Idle(ctx)
	m.worked = time.Now()
}

// unitCollector collects the units of a summary.
type unitCollector struct {
	m      *summaryMaker
	folded bool
	units  int
	free   chan *unitVisitor
}

// Visitor is for the pass.
func (c *unitCollector) Visitor() Visitor {
	select {
	case v := <-c.free:
		return v
	default:
	}
	v := &unitVisitor{folded: c.folded, version: c.m.r.Version()}
	v.clear()
	return v
}

// Reset is for the pass.
func (c *unitCollector) Reset() {
	if c.free == nil {
		c.free = make(chan *unitVisitor, 64)
	} else {
		c.units = -1 // too late: units have been written
	}
}

// Merge is for the pass.
func (c *unitCollector) Merge(visitor Visitor) error {
	v, m := visitor.(*unitVisitor), c.m
	if c.units < 0 || v.threads == 0 {
		return errChanged
	}
	n := c.units
	c.units++
	if c.folded {
		m.extra = append(m.extra, v.extra())
		return c.giveBack(v)
	}
	if n >= len(m.extra) {
		return errChanged
	}
	threads := v.threads
	if m.v.Size(v.thread) > m.Unit {
		threads = 0
	}
	m.record = v.record(m.record[:0], m.extra[n])
	m.extra[n] = nil
	if err := m.out.Unit(threads, m.record); err != nil {
		return err
	}
	return c.giveBack(v)
}

func (c *unitCollector) giveBack(v *unitVisitor) error {
	v.clear()
	select {
	case c.free <- v:
	default:
	}
	return nil
}

// Missing reports whether a summary can be made and there is none that fits. It waits for what the
// reader does in the background, and for as long as passes are under way.
func (f SummaryFile) Missing(ctx context.Context) bool {
	if f.r.Wait(ctx) != nil || f.r.Opts.NoWrite {
		return false
	}
	f.r.Summary.Passes.Idle(ctx)
	if _, err := newSummaryMaker(ctx, f.r, SummaryOptions{}); err != nil {
		return false
	}
	size, _ := f.State()
	return size == 0
}

// saved notes the result of writing the file.
func saved(s *trace.SummaryFile, err error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Unsaved = nil; err == nil {
		s.Looked = -1
	} else if !errors.Is(err, ErrNoSummary) && !errors.Is(err, context.Canceled) && !errors.Is(err, trace.ErrClosed) {
		s.Unsaved = err
	}
}

package dataset

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"tracex/lazy/export/dataset/internal/parquetfile"
)

// limits bound what is in memory and in a file. Tests make them small.
type limits struct {
	rows    int   // of a row group, but for those of the last part of the trace
	bytes   int64 // of the rows that wait
	threads int   // with more of them, directories are of several threads
	bucket  int64 // calls of such a directory, at least
}

var usualLimits = limits{rows: 1 << 17, bytes: 64 << 20, threads: 256, bucket: 4 << 20}

// sink takes rows in the order of the trace, and writes them as files of a folder. Row groups are encoded and written by
// a goroutine of its own, while the next ones are filled.
type sink struct {
	limits
	folder  *folder
	names   *names
	trace   int32 // a name
	calls   *table[call]
	points  *table[point]
	creator string
	several bool // threads to a directory

	freeCalls  chunks[call]
	freePoints chunks[point]

	bucket  *bucket // that rows are added to; nil before the first
	waiting struct {
		calls  group[call]
		points group[point]
		late   *chunk[call]
	}
	files []File // written by the worker

	work   chan func() error
	idle   sync.WaitGroup
	mu     sync.Mutex // guards failed
	failed error
}

func newSink(f *folder, n *names, o *Options, id string, threads int, l limits) *sink {
	s := &sink{
		limits: l, folder: f, names: n, trace: n.id(id), creator: o.creator(), several: threads > l.threads,
		calls: newTable("calls", callColumns(), n, leafThread, leafFirst), points: newTable("points", pointColumns(), n, leafThread),
		work: make(chan func() error),
	}
	s.waiting.late = new(chunk[call])
	s.idle.Go(func() {
		for f := range s.work {
			if s.failure() == nil {
				s.fail(f())
			}
		}
	})
	return s
}

func (s *sink) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

// failure returns the first error of the worker.
func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// do lets the worker do something once it has done what it does.
func (s *sink) do(f func() error) error {
	s.work <- f
	return s.failure()
}

// add adds rows of a thread, or, if there are several to a directory, of several. They follow those added before.
func (s *sink) add(thread int32, calls *chunk[call], points *chunk[point]) error {
	if len(calls.rows) == 0 && len(points.rows) == 0 {
		return nil
	}
	b := s.bucket
	if b == nil || b.last != thread && (!s.several || b.calls+int64(s.waiting.calls.rows) >= s.limits.bucket) {
		if err := s.endBucket(); err != nil {
			return err
		}
		b = &bucket{begin: fmt.Sprintf("thread=%d", thread+1), first: thread, last: thread}
		s.bucket = b
	}
	s.extend(thread)
	s.waiting.calls.add(calls)
	s.waiting.points.add(points)
	return nil
}

// extend tells of a thread that has rows among those added last.
func (s *sink) extend(thread int32) {
	if b := s.bucket; b != nil {
		b.first, b.last = min(b.first, thread), max(b.last, thread)
	}
}

// late returns the chunk for calls that end after those around them in the trace have been written.
func (s *sink) late() *chunk[call] { return s.waiting.late }

func (s *sink) full() bool {
	w := &s.waiting
	return w.calls.rows+len(w.late.rows) >= s.rows || w.points.rows >= s.rows ||
		w.calls.bytes()+w.points.bytes()+w.late.bytes() >= s.bytes
}

// write lets the worker write all rows that wait. Calls that have not ended must be kept before.
func (s *sink) write() error {
	w, b := s.waiting, s.bucket
	s.waiting.calls, s.waiting.points, s.waiting.late = group[call]{}, group[point]{}, new(chunk[call])
	if b == nil {
		return nil
	}
	b.calls += int64(w.calls.rows)
	return s.do(func() error {
		putLate(&w.calls, w.late)
		methods := s.names.all()
		err := writeGroup(s, b, s.calls, &b.files[0], &w.calls, methods)
		if err == nil {
			err = writeGroup(s, b, s.points, &b.files[1], &w.points, methods)
		}
		s.freeCalls.giveBack(w.calls.chunks)
		s.freePoints.giveBack(w.points.chunks)
		return err
	})
}

// writeGroup writes a row group, if it has rows.
func writeGroup[R any](s *sink, b *bucket, t *table[R], f **output, g *group[R], methods []*method) error {
	rows, err := t.encode(g, s.trace, methods)
	if err != nil || rows == 0 {
		return err
	}
	if *f == nil {
		if *f, err = s.folder.create(b.begin, t.name, t.schema, s.creator, t.sorted...); err != nil {
			return err
		}
	}
	return (*f).Group(rows, t.columns)
}

// endBucket lets the worker write all rows that wait, and complete the files of their directory.
func (s *sink) endBucket() error {
	b := s.bucket
	if b == nil {
		return nil
	}
	if err := s.write(); err != nil {
		return err
	}
	s.bucket = nil
	return s.do(func() error {
		files, err := b.close(s.folder)
		s.files = append(s.files, files...)
		return err
	})
}

// finish waits until all is written, and ends the worker.
func (s *sink) finish() error {
	err := s.endBucket()
	s.stop()
	if err == nil {
		err = s.failure()
	}
	if err == nil {
		err = s.addEmpty(s.calls.name, s.calls.schema)
	}
	if err == nil {
		err = s.addEmpty(s.points.name, s.points.schema)
	}
	return err
}

// addEmpty adds an empty file of a table that has none: queries of a dataset whose traces have no points, for example,
// find the columns and no rows.
func (s *sink) addEmpty(table string, schema *parquetfile.Schema) error {
	dir := "thread=1"
	for _, f := range s.files {
		if f.Table == table {
			return nil
		}
		dir = path.Dir(f.Path)
	}
	o, err := s.folder.create(dir, table, schema, s.creator)
	if err != nil {
		return err
	}
	err = o.close()
	s.files = append(s.files, File{Path: dir + "/" + o.base, Table: table, Bytes: o.Size()})
	return err
}

func (s *sink) stop() {
	if s.work != nil {
		close(s.work)
		s.idle.Wait()
		s.work = nil
	}
}

// restart discards everything written.
func (s *sink) restart() {
	b := s.bucket
	s.bucket = nil
	s.waiting.calls, s.waiting.points, s.waiting.late = group[call]{}, group[point]{}, new(chunk[call])
	_ = s.do(func() error { // the next call returns the error
		s.files = nil
		if b != nil {
			b.discard()
		}
		return s.folder.empty()
	})
}

// bucket is a directory with the files of a thread, or of several.
type bucket struct {
	begin       string // its name while it is written: the last thread is not known yet
	first, last int32  // threads, from 0
	calls       int64  // rows written, or being written
	files       [2]*output
}

func (b *bucket) close(f *folder) (list []File, err error) {
	for _, o := range b.files {
		if o == nil {
			continue
		}
		if e := o.close(); err == nil {
			err = e
		}
		list = append(list, File{Path: b.begin + "/" + o.base, Table: o.table, Rows: o.Rows(), Bytes: o.Size()})
	}
	if err != nil || b.first == b.last || len(list) == 0 {
		return list, err
	}
	name := fmt.Sprintf("thread=%d-%d", b.first+1, b.last+1)
	for i := range list {
		list[i].Path = name + strings.TrimPrefix(list[i].Path, b.begin)
	}
	return list, f.rename(b.begin, name)
}

// discard closes files that are no longer needed.
func (b *bucket) discard() {
	for _, o := range b.files {
		if o != nil {
			_ = o.close()
		}
	}
}

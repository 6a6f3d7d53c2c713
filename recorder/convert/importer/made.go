package importer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"tracex/format"
	"tracex/recorder/convert/cache"
)

// Importer makes a trace of an input in a place of the program's own: in the cache, or in a temporary directory.
type Importer struct {
	Input   *Input
	Version string                              // of the program
	Begin   func(what string) Progress          // shows how far it is
	Remark  func(what string, why error)        // tells what does not stop it
	LeftOut func(made *Result) (lines []string) // describes what is not in the trace
}

// converterVersion is that of all converters. Raise it when one of them makes another trace of the same
// input, so that what the earlier ones have made is not used.
const converterVersion = " 5"

// Made is a trace that was made of an input.
type Made struct {
	Path  string // of the data file
	Dir   string // the temporary directory that has it; "" if the cache has
	Fresh bool   // it was made now
	about about
	entry *cache.Entry // nil if a temporary directory has the files
}

// about is what is known about a converted trace. It is kept beside it, as JSON.
type about struct {
	Data    string   `json:"data"` // name of the data file
	LeftOut []string `json:"leftOut,omitempty"`
	Damage  []damage `json:"damage,omitempty"`
}

// Close ends the use of the trace. The caller removes a temporary directory.
func (m *Made) Close() {
	if m.entry != nil {
		m.entry.Close()
	}
}

// Cached reports whether the trace is in the cache, so that files beside it stay. m may be nil.
func (m *Made) Cached() bool { return m != nil && m.entry != nil }

// LeftOut describes what is not in the trace.
func (m *Made) LeftOut() []string { return m.about.LeftOut }

// Damage returns the faults of the input, which has a name in messages.
func (m *Made) Damage(name string) (all []error) {
	for i := range m.about.Damage {
		all = append(all, m.about.Damage[i].error(name))
	}
	return all
}

func (d *damage) error(name string) error {
	e := &format.Error{File: name, Offset: d.Offset, Expected: d.Expected, Found: d.Found, Hint: d.Hint, Err: format.ErrCorrupt}
	if d.Truncated {
		e.Err = format.ErrTruncated
	} else if d.Text != e.Err.Error() {
		e.Err = &worded{d.Text, e.Err}
	}
	return e
}

// worded is an error with a text of its own.
type worded struct {
	text string
	err  error
}

func (w *worded) Error() string { return w.text }

func (w *worded) Unwrap() error { return w.err }

// setDamage keeps the faults of an input.
func (a *about) setDamage(err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok && errors.Join(all.Unwrap()...).Error() == err.Error() {
		for _, err := range all.Unwrap() {
			a.setDamage(err)
		}
		return
	}
	var e *format.Error
	if !errors.As(err, &e) {
		return
	}
	d := damage{Truncated: errors.Is(e, format.ErrTruncated), Offset: e.Offset, Expected: e.Expected, Found: e.Found, Hint: e.Hint}
	if e.Err != nil {
		d.Text = e.Err.Error()
	}
	a.Damage = append(a.Damage, d)
}

// PlaceError is an error about the directory of the program's own in which a trace is made.
type PlaceError struct {
	Err      error
	Variable string // of the environment, which names another directory
}

func (e *PlaceError) Error() string { return e.Err.Error() }

func (e *PlaceError) Unwrap() error { return e.Err }

// placeError returns err as a PlaceError if it is about a directory.
func placeError(err error, dir, variable string) error {
	if err == nil || !strings.Contains(err.Error(), dir) {
		return err
	}
	return &PlaceError{err, variable}
}

// Keep returns the trace of the input in the cache, and makes it if it is not there. If nothing can be
// kept, it makes a temporary one.
func (m *Importer) Keep(ctx context.Context) (*Made, error) {
	dir := cache.Dir()
	if dir == "" {
		return m.Temporary(ctx)
	}
	c, err := cache.Open(dir)
	if err != nil {
		if !unwritable(err) {
			m.Remark("converted traces are not kept", err)
		}
		return m.Temporary(ctx)
	}
	made, err := m.into(ctx, c)
	if unwritable(err) || errors.Is(err, errors.ErrUnsupported) {
		return m.Temporary(ctx)
	}
	return made, placeError(err, dir, cache.Variable)
}

// unwritable reports whether an error means that files cannot be changed.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// into is Keep for a cache.
func (m *Importer) into(ctx context.Context, c *cache.Cache) (*Made, error) {
	key, err := cache.KeyOf(m.Input.Path, m.Version+converterVersion+m.Input.from)
	if err != nil {
		return nil, err
	}
	for range 2 {
		entry, err := c.Take(ctx, key, func() { m.Remark(m.Input.Name, errors.New("another tracex is converting it: waiting")) })
		if err != nil {
			return nil, err
		}
		made := &Made{entry: entry, Fresh: !entry.Whole()}
		if made.Fresh {
			err = m.fill(ctx, c, made)
		} else if !made.recall() { // what is there is not a trace: make it anew
			if err := entry.Drop(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			made.Close()
			return nil, err
		}
		made.Path = entry.File(made.about.Data)
		return made, nil
	}
	return nil, errors.New("the cache of converted traces does not keep what is put there")
}

// recall reads what was kept about the trace, and reports whether it is there.
func (m *Made) recall() bool {
	if err := json.Unmarshal(m.entry.About(), &m.about); err != nil || m.about.Data != filepath.Base(m.about.Data) {
		return false
	}
	_, err := os.Stat(m.entry.File(m.about.Data))
	return err == nil
}

// fill makes the trace of a new entry, and then makes room in the cache.
func (m *Importer) fill(ctx context.Context, c *cache.Cache, made *Made) (err error) {
	if made.about, err = m.convertTo(ctx, filepath.Dir(made.entry.File("trace"))); err != nil {
		return err
	}
	b, err := json.Marshal(made.about)
	if err != nil {
		return err
	}
	if err := made.entry.Keep(b); err != nil {
		return err
	}
	if err := c.Trim(c.Limit); err != nil {
		m.Remark("old converted traces are not removed", err)
	}
	return nil
}

// Temporary makes the trace of the input in a temporary directory.
func (m *Importer) Temporary(ctx context.Context) (*Made, error) {
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, placeError(err, os.TempDir(), "TMPDIR")
	}
	made := &Made{Dir: dir, Fresh: true}
	if made.about, err = m.convertTo(ctx, dir); err != nil {
		_ = os.RemoveAll(dir) // nothing can be done if a file remains there
		return nil, placeError(err, dir, "TMPDIR")
	}
	made.Path = filepath.Join(dir, made.about.Data)
	return made, nil
}

// convertTo makes a trace in a folder of the program's own.
func (m *Importer) convertTo(ctx context.Context, dir string) (a about, err error) {
	a.Data = "trace.bin"
	if m.Input.Path != "-" {
		a.Data = filepath.Base(sourceStem(m.Input.Path, allSuffixes)) + ".bin"
	}
	output := filepath.Join(dir, a.Data)
	switch m.Input.Kind {
	case KindTrace: // in a compressed file
		return a, m.unpackTo(ctx, output)
	case KindPerfetto, KindSource:
		c := Conversion{Output: output, Begin: m.Begin}
		made, damage, err := c.Run(ctx, m.Input)
		if err != nil {
			return a, err
		}
		a.LeftOut = m.LeftOut(made)
		a.setDamage(damage)
		return a, nil
	}
	return a, m.Input.Refuse()
}

// unpackTo writes the trace that is compressed in a file.
func (m *Importer) unpackTo(ctx context.Context, path string) error {
	p := newImportProgress(m.Begin("unpacking"), []*Input{m.Input})
	defer p.end()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, &untilDoneReader{ctx, &progressReader{m.Input, p}})
	return errors.Join(err, f.Close())
}

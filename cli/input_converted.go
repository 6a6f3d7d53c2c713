package cli

import (
	"errors"
	"slices"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/cache"
	"tracex/ui"
)

// convertedTrace is a trace that was made of a file of another tool.
type convertedTrace struct {
	about aboutConverted
	entry *cache.Entry // that has the files; nil if a temporary directory has them
	fresh bool         // this command has made it
}

// aboutConverted is what is known about a converted trace. It is kept beside it, as JSON.
type aboutConverted struct {
	Data    string   `json:"data"` // name of the data file
	LeftOut []string `json:"leftOut,omitempty"`
	Damage  []damage `json:"damage,omitempty"`
}

// damage is a [format.Error] about an input whose undamaged part was converted.
type damage struct {
	Truncated bool   `json:"truncated,omitempty"`
	Offset    int64  `json:"offset"`
	Expected  string `json:"expected,omitempty"`
	Found     string `json:"found,omitempty"`
	Text      string `json:"text"` // of the cause
	Hint      string `json:"hint,omitempty"`
}

// converterVersion is that of all converters. Raise it when one of them makes another trace
// of the same input, so that what the earlier ones have made is not used.
const converterVersion = version + " 5"

// close ends the use of the trace.
func (m *convertedTrace) close() {
	if m.entry != nil {
		m.entry.Close()
	}
}

// cached reports whether the trace is in the cache, so that files beside it stay.
func (m *convertedTrace) cached() bool { return m != nil && m.entry != nil }

// tell remarks what a conversion has left out.
func (in *input) tell(a *app) {
	if in.made == nil || !in.made.fresh {
		return
	}
	for _, line := range in.made.about.LeftOut {
		a.remark(printable(in.name), errors.New(line))
	}
}

// remark adds to the explorer's first message what the conversion has left out, or could not read.
func (in *input) remark(look *ui.Options) {
	if in.made == nil {
		return
	}
	var all []string
	if look.Remark != "" {
		all = append(all, look.Remark)
	}
	if err := in.damage(); err != nil {
		all = append(all, message(err))
	}
	if in.made.fresh {
		all = append(all, in.made.about.LeftOut...)
	}
	look.Remark = strings.Join(all, "; ")
}

// withDamage adds to err, which may be nil, the faults of the file that the trace was converted from.
func (in *input) withDamage(err error) error {
	damage := in.damage()
	switch {
	case damage == nil:
		return err
	case err == nil:
		return damage
	}
	return errors.Join(append(slices.Clone(joined(err)), joined(damage)...)...)
}

// damage returns the fault of the file that the trace was converted from.
func (in *input) damage() (err error) {
	if in.made == nil {
		return nil
	}
	var all []error
	for _, d := range in.made.about.Damage {
		all = append(all, d.error(in.name))
	}
	return errors.Join(all...)
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
func (m *aboutConverted) setDamage(err error) {
	for _, err := range joined(err) {
		var e *format.Error
		if !errors.As(err, &e) {
			continue
		}
		d := damage{Truncated: errors.Is(e, format.ErrTruncated), Offset: e.Offset, Expected: e.Expected, Found: e.Found, Hint: e.Hint}
		if e.Err != nil {
			d.Text = e.Err.Error()
		}
		m.Damage = append(m.Damage, d)
	}
}

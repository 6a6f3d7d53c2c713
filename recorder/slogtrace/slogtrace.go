// Package slogtrace records log lines of package log/slog.
package slogtrace

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"tracex/recorder"
)

// Options are what a handler records. The zero Options are the default.
type Options struct {
	Level slog.Leveler // the lowest level that is recorded; nil for slog.LevelInfo
}

// NewHandler returns a slog.Handler that records each log line into the calling goroutine's
// thread for the line's context (see [recorder.FromContext]). The line is a leaf of the open
// call: a write to a variable named by the level, at the line's source location. next gets all
// lines as well. next and o may be nil.
//
// A line is not recorded if its context carries no thread, or if it is below the level.
// Attributes that are numbers, strings, times and the like are recorded, errors as by
// [recorder.Recorder.Of]; for others the type. No LogValue, String or Error method of the
// program is called, unless [recorder.Config.CallMethods] is set.
func NewHandler(r *recorder.Recorder, next slog.Handler, o *Options) slog.Handler {
	if r == nil && next != nil {
		return next
	}
	h := &logHandler{r: r, next: next, least: slog.LevelInfo}
	if o != nil && o.Level != nil {
		h.least = o.Level
	}
	return h
}

type logHandler struct {
	r      *recorder.Recorder
	next   slog.Handler
	least  slog.Leveler
	groups string // open groups, each followed by a dot
	attrs  string // from WithAttrs, as text
}

// Enabled reports whether the line is recorded, or next wants it.
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.records(ctx, level) != nil || h.next != nil && h.next.Enabled(ctx, level)
}

// records returns the thread that a line of a level is recorded into, or nil.
func (h *logHandler) records(ctx context.Context, level slog.Level) *recorder.Thread {
	if level < h.least.Level() {
		return nil
	}
	return recorder.FromContext(ctx)
}

// Handle records the line and passes it to next.
func (h *logHandler) Handle(ctx context.Context, line slog.Record) error {
	if t := h.records(ctx, line.Level); t != nil {
		var text strings.Builder
		text.WriteString(line.Message)
		text.WriteString(h.attrs)
		line.Attrs(func(a slog.Attr) bool {
			h.writeAttr(&text, h.groups, a)
			return true
		})
		r := t.Recorder()
		variable := r.Variable("log "+line.Level.String(), recorder.ObjectType("string"))
		t.WriteVariable(variable, r.At(line.PC), recorder.String(text.String()))
	}
	if h.next == nil || !h.next.Enabled(ctx, line.Level) {
		return nil
	}
	return h.next.Handle(ctx, line)
}

// WithAttrs returns a handler whose lines all have these attributes.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	var text strings.Builder
	for _, a := range attrs {
		h.writeAttr(&text, h.groups, a)
	}
	with.attrs += text.String()
	if h.next != nil {
		with.next = h.next.WithAttrs(attrs)
	}
	return &with
}

// WithGroup returns a handler whose later attributes belong to a group.
func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	with := *h
	with.groups += name + "."
	if h.next != nil {
		with.next = h.next.WithGroup(name)
	}
	return &with
}

// writeAttr writes " group.key=value".
func (h *logHandler) writeAttr(text *strings.Builder, groups string, a slog.Attr) {
	if a.Value.Kind() == slog.KindGroup {
		if a.Key != "" {
			groups += a.Key + "."
		}
		for _, in := range a.Value.Group() {
			h.writeAttr(text, groups, in)
		}
		return
	}
	if a.Key == "" {
		return
	}
	text.WriteString(" " + groups + a.Key + "=" + h.plainText(a.Value))
}

// plainText returns the text of a value. If its kind is KindAny, that is what
// [recorder.Recorder.Of] makes of it, if that is a text or a number, and otherwise its type.
func (h *logHandler) plainText(v slog.Value) string {
	switch v.Kind() {
	case slog.KindString:
		return v.String()
	case slog.KindInt64:
		return strconv.FormatInt(v.Int64(), 10)
	case slog.KindUint64:
		return strconv.FormatUint(v.Uint64(), 10)
	case slog.KindFloat64:
		return strconv.FormatFloat(v.Float64(), 'g', -1, 64)
	case slog.KindBool:
		return strconv.FormatBool(v.Bool())
	case slog.KindDuration:
		return v.Duration().String()
	case slog.KindTime:
		return v.Time().Format(time.RFC3339Nano)
	case slog.KindAny:
		if text, ok := h.r.Text(v.Any()); ok {
			return text
		}
	}
	return "<" + recorder.PanicType(v.Any()) + ">"
}

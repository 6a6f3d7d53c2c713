package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
)

// holderKey names a goroutine that ended waits: it held a lock, or sent a value. The zero key is none.
type holderKey struct {
	program string // of the thread that waited
	number  int64
}

// holderOf returns the goroutine that ended a wait of a thread.
func holderOf(c *format.Context, thread int32, foot *format.Footer) (k holderKey) {
	text, ok := wokenBy(foot)
	if !ok {
		return k
	}
	if k.number, _, ok = goroutines.Made(text); !ok {
		if n, ok := goroutines.Parse(text); ok {
			k.number = n.Number
		}
	}
	if t := c.Thread(thread); t != nil && k.number != 0 {
		n, _ := goroutines.Parse(t.Name)
		k.program = n.Program
	}
	return k
}

// wokenBy returns the result of a wait: the goroutine that ended it.
func wokenBy(foot *format.Footer) (text string, ok bool) {
	if foot == nil || foot.Threw || foot.Exception != "" {
		return "", false
	}
	return textValue(&foot.Result)
}

// textValue returns the text of a value that recorders write as one.
func textValue(v *format.Value) (text string, ok bool) {
	switch v.Kind {
	case format.ValueString, format.ValueRawString, format.ValueBigDecimal:
		return v.Text, v.Text != ""
	}
	return "", false
}

// AtHolder is a goroutine that threads waited for.
type AtHolder struct {
	Name    string
	Thread  int32 // -1 if it has none in the trace
	Waiters int64
	State   lazy.OpenState
	In      *AtRow // what it was in itself; nil if that is no call
}

// hold finds what the goroutines were in that most threads waited for.
func (a *At) hold(ctx context.Context, list *lazy.ThreadList) error {
	keys := slices.SortedFunc(maps.Keys(a.holders), func(x, y holderKey) int {
		return cmp.Or(cmp.Compare(a.holders[y], a.holders[x]), cmp.Compare(x.program, y.program), cmp.Compare(x.number, y.number))
	})
	keys = keys[:min(len(keys), toldHolders)]
	if len(keys) == 0 {
		return nil
	}
	of := make(map[holderKey]int)
	for i, k := range keys {
		of[k] = i
		a.held = append(a.held, AtHolder{Name: goroutines.Label(k.number), Thread: -1, Waiters: a.holders[k], State: lazy.OpenUnknown})
	}
	for from := 0; from < list.Len(); from += surveyBatch {
		list.Plain(from, min(list.Len(), from+surveyBatch), func(i int, name string) bool {
			n, ok := goroutines.Parse(name)
			if h, is := of[holderKey{n.Program, n.Number}]; ok && is && a.held[h].Thread < 0 {
				text, end := n.Heading()
				a.held[h].Name, a.held[h].Thread = strings.TrimSpace(text[:end]), list.ID(i)
			}
			return true
		})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for i := range a.held {
		h := &a.held[i]
		if h.Thread < 0 {
			continue
		}
		open, err := a.openAt(ctx, []int32{h.Thread})
		if err != nil {
			return err
		}
		if h.State = open[0].State; h.State != lazy.OpenIn {
			continue
		}
		rows, err := a.rows(ctx, []atEntry{{open[0].Position, open[0].About}})
		if err != nil {
			return err
		}
		if h.State = lazy.OpenNothing; len(rows) > 0 {
			h.State, h.In = lazy.OpenIn, &rows[0]
		}
	}
	return nil
}

// Holders returns the goroutines that most threads waited for, once Run has ended.
func (a *At) Holders() []AtHolder { return a.held }

// note tells what a goroutine was in that others waited for.
func (h *AtHolder) note(g *display.Glyphs) string {
	text := h.Name + " is waited for by " + display.Plural(h.Waiters, "thread") + " " + g.Dot + " "
	switch {
	case h.Thread < 0:
		return text + "no event of it is in the trace"
	case h.In != nil:
		text += "it was in " + h.In.Text.Text
		if n, ok := h.In.elapsed(); ok {
			text += ", for " + g.Duration(n)
		}
		if h.In.Waits != "" {
			text += ", and waited itself"
		}
		return text
	case h.State == lazy.OpenLater:
		return text + "it had not begun: no event of it is known before"
	case h.State == lazy.OpenEnded:
		return text + "it was in no call: the last one recorded had ended"
	case h.State == lazy.OpenUnknown:
		return text + "what it was in is not known"
	}
	return text + "it was in no call that was recorded"
}

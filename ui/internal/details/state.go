package details

import (
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/screen"
)

// mostState is how many values of the state are shown: what follows is about the row itself.
const mostState = 16

// state adds arguments, variables and fields as last seen before a node, once they are known.
func (w *writer) state(n *lazy.Node) {
	s := w.of.State
	switch {
	case s == nil || !s.At(n.Position()):
		return
	case s.Err != nil:
		w.pair("state", "not known: "+screen.ErrorLine(s.Err), screen.Faint)
		w.blank()
		return
	case len(s.Values) == 0:
		return
	}
	w.pair("before it", "in "+s.Call, screen.Plain)
	label, last := "", query.StatePart(0)
	for i, v := range s.Values {
		if i == mostState {
			w.pair("", "and "+screen.Plural(int64(len(s.Values)-i), "value")+": :state lists all", screen.Faint)
			break
		}
		if i == 0 || v.Part != last {
			label, last = v.Part.String(), v.Part
		}
		if v.Known {
			w.pair(label, v.Name+" = "+v.Value.Text+"  "+lazy.EventHandle(v.Event).String(), screen.Plain)
		} else {
			w.pair(label, v.Name+" was not seen before", screen.Faint)
		}
		label = ""
	}
	for _, note := range s.Notes {
		w.pair("", note, screen.Faint)
	}
	w.blank()
}

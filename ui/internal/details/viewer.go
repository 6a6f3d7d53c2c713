package details

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// viewer floats over the tree and shows a value of a row whole. Its methods run on Bubble Tea's goroutine.
type viewer struct {
	prompt.List
	env  *env.Env
	tree *tree.Tree
	clip *tree.Copying

	node   *lazy.Node // the row
	values []held     // of the row
	at     int        // the one that is shown
	object string     // that it is; "" if it is none
	other  bool       // a text is shown as bytes, or bytes as a text
	key    string     // the last one, for Do
	width  int        // that items are for; 0 if they have to be made
	items  []prompt.Item
	fields lastSeen // of the object
	task   env.Task // looks for the fields

	events   []query.HistoryPoint // on an object, one after the other
	eventsOf string               // that object, and the generation of the trace; "" if they are not known
	before   int                  // how many events are not after the row from which they were looked for
	walking  bool                 // the tree goes to one of them
}

// lastSeen is the fields of an object as last seen.
type lastSeen struct {
	of     *held  // the value whose fields they are
	before string // where they were seen last
	known  bool
	list   []query.StateValue
	err    error
}

func newViewer(e *env.Env, t *tree.Tree, clip *tree.Copying) *viewer {
	v := &viewer{env: e, tree: t, clip: clip}
	v.List = prompt.List{Len: func() int { return len(v.items) }, Item: func(i int) prompt.Item { return v.items[i] }}
	return v
}

// telling are the labels of the values that tell most of a row, the most telling first.
var telling = []string{"result", "threw", "value", "exception", "arg "}

// show shows a value of a row; at -1 the object shown before, if the row has it, or else the most telling value.
func (v *viewer) show(n *lazy.Node, values []held, at int) tea.Cmd {
	if len(values) == 0 {
		return v.env.Say("this row has no value")
	}
	if !v.env.Front.Open(v) {
		v.object = ""
		v.env.Front.Push(v, nil)
	}
	v.node, v.values = n, values
	if at < 0 && v.object != "" {
		at = slices.IndexFunc(values, func(h held) bool { return v.nameOf(&h) == v.object })
	}
	for i := 0; i < len(telling) && at < 0; i++ {
		at = slices.IndexFunc(values, func(h held) bool { return strings.HasPrefix(h.label, telling[i]) })
	}
	v.choose(max(0, at))
	return nil
}

func (v *viewer) choose(at int) {
	v.at, v.other, v.width = at, false, 0
	v.object = v.nameOf(&v.values[at])
	v.Scroll(-v.Len())
}

// nameOf returns the name of an object whose fields and events can be looked for; "" for others, and in a diff, which has
// not all of them.
func (v *viewer) nameOf(h *held) (name string) {
	if v.env.Trace.Made() {
		return ""
	}
	v.env.Trace.Reader.WithContext(func(c *format.Context) { name = query.ObjectOf(c, h.value) })
	return name
}

// Lines makes the lines, if they are not there, and returns how many there are.
func (v *viewer) Lines() int {
	if width := screen.FloatWidth(v.env.Width); width != v.width {
		w := v.write(width)
		if v.object != "" {
			w.seen(&v.fields)
		}
		v.width, v.items = width, w.items
		v.Changed()
		v.entitle()
	}
	return v.List.Lines()
}

func (v *viewer) write(width int) *writer {
	w := &writer{sheet: sheet{width: width, g: v.env.Glyphs, whole: true}, env: v.env, named: make(map[int32]bool)}
	w.withContext(func() { w.contents(v.values[v.at].value, v.other) })
	return w
}

// entitle tells which value it is, and what the keys do.
func (v *viewer) entitle() {
	h, dot := &v.values[v.at], " "+v.env.Glyphs.Dot+" "
	v.Title, v.Keys = strings.TrimSpace(h.label+" "+h.what), "y copies"
	if !h.value.Unquoted() {
		v.Title += dot + h.value.Kind.String()
	}
	if len(v.values) > 1 {
		v.Title += fmt.Sprintf("%s%d of %d", dot, v.at+1, len(v.values))
		v.Keys = "Tab next value   " + v.Keys
	}
	if _, ok := query.Contents(h.value); ok {
		v.Keys = "x text or bytes   " + v.Keys
	}
	v.Title += dot + v.tree.Named(v.node.Handle())
	if v.object != "" {
		v.Keys += "   < > its events"
	}
	if i := v.event(); i >= 0 {
		v.Title += fmt.Sprintf(", event %d of %d on it", i+1, len(v.events))
	}
}

// Hint tells what is running, or what the keys do.
func (v *viewer) Hint(width int, g *screen.Glyphs) string {
	if v.tree.Jobs.Running() {
		return v.tree.Jobs.Text() + "   Esc stops"
	}
	return v.List.Hint(width, g)
}

// HandleKey returns what a key asks for.
func (v *viewer) HandleKey(k tea.KeyPressMsg) prompt.ListAction {
	v.key = k.String()
	switch {
	case v.Typing():
	case slices.Contains([]string{"tab", "shift+tab", "x", "y", "<", ">"}, v.key):
		return prompt.ListAction{Kind: prompt.Asked, Do: v.do}
	case v.key == "v":
		return prompt.ListAction{Kind: prompt.Closed}
	case v.key == "esc" && v.tree.Jobs.Stop():
		return prompt.ListAction{Say: "stopped"}
	}
	return v.List.HandleKey(k)
}

// do does what the last key asked for.
func (v *viewer) do() tea.Cmd {
	n := len(v.values)
	text, is := query.Contents(v.values[v.at].value)
	switch v.key {
	case "tab":
		v.choose((v.at + 1) % n)
	case "shift+tab":
		v.choose((v.at + n - 1) % n)
	case "<":
		return v.step(-1)
	case ">":
		return v.step(1)
	case "x":
		if !is {
			return v.env.Say("only a text can be shown as bytes")
		}
		v.other, v.width = !v.other, 0
	case "y":
		if is {
			return v.clip.Copy(text.Text, "the value")
		}
		return v.clip.Copy(plain(v.write(1<<16).items), "the value")
	}
	return nil
}

func (v *viewer) here() query.HistoryPoint {
	return query.HistoryPoint{Position: v.node.Position(), Event: v.node.Point().Event}
}

// which names the list of events that the viewer needs.
func (v *viewer) which() string { return fmt.Sprint(v.object, " ", v.env.Trace.Generation) }

// step goes to the previous or the next event on the object.
func (v *viewer) step(by int) tea.Cmd {
	object, which := v.object, v.which()
	switch {
	case object == "":
		return v.env.Say("this value is no object that other events could be on")
	case v.eventsOf == which:
		return v.walk(by)
	}
	r, scope, at := v.env.Trace.Reader, query.Scope{Raw: !v.tree.Out.Tree.Folded()}, v.here()
	return v.tree.Jobs.Run("looking for events on "+object, "cannot find events on "+object, func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		l, err := query.ParseLocation(ctx, r, object, "")
		if err != nil {
			return nil, err
		}
		h := query.NewHistory(r, scope, query.HistoryOptions{Location: l, Here: &at, Keep: query.MostValues})
		err = h.Run(ctx, report)
		list, before := h.Events()
		return func() tea.Cmd {
			v.events, v.eventsOf, v.before = list, which, before
			return v.walk(by)
		}, err
	})
}

// event returns which of the events the row is; -1 if it is none, or they are not known.
func (v *viewer) event() int {
	if v.eventsOf != v.which() {
		return -1
	}
	return slices.Index(v.events, v.here())
}

// walk goes to the previous or the next of the events.
func (v *viewer) walk(by int) tea.Cmd {
	to := v.event() + by
	if to-by < 0 { // the row only has the object in a value
		to = v.before + min(by, 0)
	}
	if v.width = 0; to < 0 || to >= len(v.events) {
		return v.env.Say(map[int]string{-1: "no event before", 1: "no event after"}[by] + " this one on " + v.object)
	}
	v.walking = true
	return v.tree.Jobs.ToPoint(v.events[to].Position, v.events[to].Event)
}

// arrived reports, once, that the tree has gone to another event on the object.
func (v *viewer) arrived() bool {
	if !v.walking || v.tree.Jobs.Running() {
		return false
	}
	v.walking = false
	return v.env.Front.Open(v) && v.tree.Out.Cursor.Node != v.node
}

// settle looks for the fields of the object that is shown.
func (v *viewer) settle() tea.Cmd {
	if !v.env.Front.Open(v) || v.object == "" || v.env.Trace.Known.Phase != lazy.PhaseReady {
		v.task.Stop()
		v.fields = lastSeen{}
		return nil
	}
	h, f := &v.values[v.at], &v.fields
	if f.of == h {
		return nil
	}
	*f, v.width = lastSeen{of: h, before: v.node.Handle().String()}, 0
	ended := strings.HasPrefix(h.label, "result")
	if ended {
		f.before = "the end of " + f.before
	}
	r, raw, object, at := v.env.Trace.Reader, !v.tree.Out.Tree.Folded(), v.object, v.here()
	return v.task.Run(v.env, func(ctx context.Context) func() tea.Cmd {
		if g, err := r.Extent(at.Position); err == nil && ended {
			at.At = g.To
		}
		list, err := query.LastSeen(ctx, r, raw, at, object)
		return env.Done(func() { f.list, f.err, f.known, v.width = list, err, true, 0 })
	})
}

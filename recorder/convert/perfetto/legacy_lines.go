package perfetto

import "strconv"

// legacyThread returns the thread that an event with a phase is of.
func (c *Converter) legacyThread(s *sequence, g *legacy) (id threadID, ok bool) {
	id, ok = s.thread, s.hasThread
	if g.hasPID {
		id, ok = threadID{processOn(c.current.machine, g.pid), -1}, true
	}
	if g.hasTID && ok {
		id.tid = g.tid
	}
	return id, ok
}

// legacyLine returns the line of an event with a phase; nil when it is not to be
// found out.
func (c *Converter) legacyLine(s *sequence, e *event, g *legacy) *line {
	uuid := e.track
	if !e.hasTrack {
		uuid = s.track
	}
	thread, known := c.legacyThread(s, g)
	if t := c.tracks[uuid]; t != nil && uuid != 0 {
		switch {
		case t.hasThread:
			thread, known = t.thread, true
		case t.hasProcess:
			thread, known = threadID{t.pid, -1}, true
		}
	}
	switch g.phase {
	case 'b', 'e', 'n', 'S', 'T', 'p', 'F':
		return c.asyncLine(g, thread, known)
	case 'i', 'I':
		switch {
		case g.instantScope == scopeGlobal:
			return c.keyed(lineKey{kind: instants}, line{scope: ofTrace, name: "Instants"})
		case g.instantScope == scopeProcess && known:
			return c.keyed(lineKey{instants, uint64(thread.pid), "process"}, line{pid: thread.pid, name: "Instants"})
		}
	}
	if uuid != 0 {
		return c.line(s, uuid, c.name.text)
	}
	if known {
		return c.threadLine(thread)
	}
	return c.line(s, 0, nil)
}

// asyncID is what joins the events of one asynchronous slice.
type asyncID struct {
	pid processID // 0: the number is of the trace
	id  uint64
}

// knownAsync bounds how many of them are remembered, each with a name.
const knownAsync = 1 << 15

// asyncLine returns the line of asynchronous events with a phase. Those with one
// number belong together, whatever they are called: the first gives the name.
func (c *Converter) asyncLine(g *legacy, thread threadID, known bool) *line {
	if !g.hasID || g.local && !known {
		return nil
	}
	id := asyncID{id: g.id}
	if g.local {
		id.pid = thread.pid
	}
	if c.asyncNames == nil {
		c.asyncNames = newRemember[asyncID, string](knownAsync)
	}
	root, ok := c.asyncNames.get(id)
	if !ok {
		root = clip(c.name.text)
		c.asyncNames.put(id, root)
	}
	scope := clip(c.category.text)
	switch g.phase {
	case 'S', 'T', 'p', 'F':
		scope = clip(c.name.text)
	}
	if g.scope != nil {
		scope = clip(c.category.text) + ":" + clip(g.scope)
	}
	key := lineKey{asyncLine, uint64(id.pid), strconv.Quote(scope) + root}
	return c.keyed(key, line{joined: true, pid: id.pid, name: root})
}

// metadata takes in an event that names a thread or a process.
func (c *Converter) metadata(p *packet, s *sequence, e *event, g *legacy) error {
	id, ok := c.legacyThread(s, g)
	name := ""
	if len(e.annotations) > 0 {
		var n annotation
		if n.parse(e.annotations[0]) && n.kind == annotationString {
			name = clip(n.raw)
		}
	}
	switch what := string(c.name.text); {
	case ok && what == "thread_name":
		c.nameThread(id, name)
	case ok && what == "process_name":
		c.nameProcess(id.pid, name)
	default:
		c.leave(unknownEvents, p)
	}
	return nil
}

package chrome

import "tracex/recorder/convert/fit"

// metadata reads an event that names a process or a thread.
func (c *converter) metadata(e *event) {
	pid, tid := c.id(e.pid), c.id(e.tid)
	switch kind := c.string(e.name); kind {
	case "process_name":
		if p := c.tracks.of(pid); p != nil {
			p.name = c.nameIn(e, "name")
		}
	case "process_labels":
		if p := c.tracks.of(pid); p != nil {
			p.labels = c.nameIn(e, "labels")
		}
	case "thread_name":
		if t := c.tracks.find(pid, tid); t != nil {
			t.name = c.nameIn(e, "name")
		}
	case "process_sort_index", "thread_sort_index":
	default:
		kind = fit.Name(kind)
		c.leave(e, "metadata event "+kind, "metadata events "+kind)
	}
}

// nameIn returns the name that an argument of an event has, which may be a number; "" if there is none.
func (c *converter) nameIn(e *event, argument string) string {
	if e.args.kind != object {
		return ""
	}
	s := scanner{s: c.text[:e.args.to], i: int(e.args.from) + 1}
	for {
		key, ok := s.key()
		if !ok {
			break
		}
		name := s.value()
		if s.fault != sound {
			break
		}
		if textOf(c.text, key) != argument || name.kind == token && c.string(name) == "null" {
			continue
		}
		if name.kind == object || name.kind == array {
			c.leave(e, "name that is no text", "names that are no texts")
			return ""
		}
		return c.tracks.named(c.id(name))
	}
	if s.fault != sound {
		c.leave(e, "damaged argument", "damaged arguments")
	}
	return ""
}

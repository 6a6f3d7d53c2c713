package chrome

import "tracex/recorder/convert/fit"

// metadata reads an event that names a process or a thread.
func (c *converter) metadata(e *event) {
	v := &c.values
	v.reset(c.text)
	if e.args.kind == object {
		v.members(e.args)
	}
	text := func(key string) string {
		for i := range v.list {
			if v.keys[i] == key {
				return c.tracks.named(v.list[i].Text)
			}
		}
		return ""
	}
	pid, tid := c.id(e.pid), c.id(e.tid)
	switch kind := c.string(e.name); kind {
	case "process_name":
		if p := c.tracks.of(pid); p != nil {
			p.name = text("name")
		}
	case "process_labels":
		if p := c.tracks.of(pid); p != nil {
			p.labels = text("labels")
		}
	case "thread_name":
		if t := c.tracks.find(pid, tid); t != nil {
			t.name = text("name")
		}
	case "process_sort_index", "thread_sort_index":
	default:
		kind = fit.Name(kind)
		c.leave(e, "metadata event "+kind, "metadata events "+kind)
	}
}

package calltrace

// openCalls are the calls of a track that have begun, in the order of their begins. One that ends before
// others that began after it leaves a gap.
type openCalls struct {
	list    []openCall // the last one is open
	gaps    int
	headers []byte // of the calls in list
	// For each hash, where in list the last call with it is; nil while there are few. What is there may be
	// a gap.
	byName, byFull map[uint64]int32
}

// openCall is a call that has begun.
type openCall struct {
	label    Label
	start    int64
	place    uint64
	sequence uint64
	from, to int        // of its header
	early    *earlyEnds // of the time of its begin, if one suits it; otherwise nil
	gap      bool
	sameName int32 // the call before with the same hash; -1 if none
	sameFull int32
}

const (
	// fewOpen is how many open calls are searched one by one.
	fewOpen = 32
	nowhere = int32(-1)
)

func (o *openCalls) header(c *openCall) []byte { return o.headers[c.from:c.to] }

// push adds a call.
func (o *openCalls) push(c openCall, header []byte) {
	c.from = len(o.headers)
	o.headers = append(o.headers, header...)
	c.to = len(o.headers)
	o.list = append(o.list, c)
	switch {
	case o.byName != nil:
		o.enter(len(o.list) - 1)
	case len(o.list) > fewOpen:
		o.index()
	}
}

// index makes the maps anew.
func (o *openCalls) index() {
	o.byName, o.byFull = map[uint64]int32{}, map[uint64]int32{}
	for i := range o.list {
		o.enter(i)
	}
}

func (o *openCalls) enter(i int) {
	c := &o.list[i]
	c.sameName, c.sameFull = o.named(c.label.name), o.fully(c.label.full)
	o.byName[c.label.name], o.byFull[c.label.full] = int32(i), int32(i)
}

// named returns where the last open call with a name is.
func (o *openCalls) named(name uint64) int32 {
	return o.newest(o.byName, name, func(c *openCall) int32 { return c.sameName })
}

// fully returns where the last open call with a name and a category is.
func (o *openCalls) fully(full uint64) int32 {
	return o.newest(o.byFull, full, func(c *openCall) int32 { return c.sameFull })
}

// newest looks a hash up, and forgets the gaps there.
func (o *openCalls) newest(in map[uint64]int32, hash uint64, before func(*openCall) int32) int32 {
	first, ok := in[hash]
	if !ok {
		return nowhere
	}
	at := first
	for at != nowhere && o.list[at].gap {
		at = before(&o.list[at])
	}
	switch {
	case at == nowhere:
		delete(in, hash)
	case at != first:
		in[hash] = at
	}
	return at
}

// find returns where the call is that an end ends: the innermost one that it suits best; -1 if there is
// none.
func (o *openCalls) find(end Label) int {
	top := len(o.list) - 1
	if top < 0 || end.exactly(o.list[top].label) {
		return top
	}
	if o.byName != nil {
		if end.full == end.name {
			return int(o.named(end.name))
		}
		if at := o.fully(end.full); at != nowhere {
			return int(at)
		}
		return int(o.fully(end.name))
	}
	alike := int(nowhere)
	for i := top; i >= 0; i-- {
		switch c := &o.list[i]; {
		case c.gap:
		case end.exactly(c.label):
			return i
		case alike < 0 && end.suits(c.label):
			alike = i
		}
	}
	return alike
}

// remove removes a call.
func (o *openCalls) remove(at int) {
	o.list[at].gap = true
	o.gaps++
	for n := len(o.list); n > 0 && o.list[n-1].gap; n = len(o.list) {
		c := &o.list[n-1]
		if o.byName != nil { // it may still be known there
			o.named(c.label.name)
			o.fully(c.label.full)
		}
		o.headers = o.headers[:c.from]
		o.list = o.list[:n-1]
		o.gaps--
	}
	switch {
	case len(o.list) == 0:
		o.byName, o.byFull = nil, nil
	case o.gaps > fewOpen && o.gaps > len(o.list)/2:
		o.close()
	}
}

// close closes the gaps.
func (o *openCalls) close() {
	list, headers := o.list[:0], o.headers[:0]
	for _, c := range o.list {
		if !c.gap {
			header := o.header(&c)
			c.from = len(headers)
			headers = append(headers, header...)
			c.to = len(headers)
			list = append(list, c)
		}
	}
	clear(o.list[len(list):])
	o.list, o.headers, o.gaps = list, headers, 0
	if o.byName != nil {
		o.index()
	}
}

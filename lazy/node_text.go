package lazy

import "tracex/format"

// Named returns all text of a node that a person can read.
func (x *texts) Named(n *Node, verbose bool) (named Named) {
	named = Named{At: -1}
	x.trace.withContext(func(c *format.Context) {
		if n.IsThread() {
			named.Text = appendThread(nil, c, n.thread)
			return
		}
		e := n.e.Load()
		named = namedPoint(c, &e.point, e.shownFooter(), n.around(), verbose)
	})
	return named
}

// AppendName appends the name of a thread or container in paths: a call without
// its arguments.
func (x *texts) AppendName(dst []byte, n *Node) []byte {
	x.trace.withContext(func(c *format.Context) {
		if p := n.Point(); p != nil {
			dst = appendName(dst, c, p)
		} else {
			dst = appendThread(dst, c, n.thread)
		}
	})
	return dst
}

// texts makes text of nodes. It changes nothing.
type texts struct{ trace *trace }

// AppendText appends the text of a trace point, in one line: see
// [format.Context.AppendText]. For a thread it appends its name.
func (x *texts) AppendText(dst []byte, n *Node, verbose bool) []byte {
	x.trace.withContext(func(c *format.Context) {
		if n.IsThread() {
			dst = appendThread(dst, c, n.thread)
			return
		}
		e := n.e.Load()
		dst = c.AppendText(dst, &e.point, e.shownFooter(), n.around(), verbose)
	})
	return dst
}

// AppendSpans is AppendText with the styles of the text's parts.
func (x *texts) AppendSpans(dst []byte, spans []format.Span, n *Node, verbose bool) ([]byte, []format.Span) {
	x.trace.withContext(func(c *format.Context) {
		if n.IsThread() {
			dst = appendThread(dst, c, n.thread)
			return
		}
		e := n.e.Load()
		dst, spans = c.AppendSpans(dst, spans, &e.point, e.shownFooter(), n.around(), verbose)
	})
	return dst, spans
}

package lazy

import "tracex/format"

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

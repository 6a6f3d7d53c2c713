package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// Named returns all text of a node that a person can read.
func (x *texts) Named(n *Node, verbose bool) Named {
	named := Named{At: -1}
	x.trace.WithContext(func(c *format.Context) {
		if n.IsThread() {
			named.Text = trace.AppendThread(nil, c, n.thread)
			return
		}
		e := n.e.Load()
		named = walk.NamedPoint(c, &e.Point, e.ShownFooter(), n.around(), verbose)
	})
	return named
}

// AppendName appends the name of a thread or container in paths: a call without
// its arguments.
func (x *texts) AppendName(dst []byte, n *Node) []byte {
	x.trace.WithContext(func(c *format.Context) {
		if p := n.Point(); p != nil {
			dst = walk.AppendName(dst, c, p)
		} else {
			dst = trace.AppendThread(dst, c, n.thread)
		}
	})
	return dst
}

// texts makes text of nodes. It changes nothing.
type texts struct{ trace *trace.Trace }

// AppendText appends the text of a trace point, in one line: see
// [format.Context.AppendText]. For a thread it appends its name.
func (x *texts) AppendText(dst []byte, n *Node, verbose bool) []byte {
	x.trace.WithContext(func(c *format.Context) {
		if n.IsThread() {
			dst = trace.AppendThread(dst, c, n.thread)
			return
		}
		e := n.e.Load()
		dst = c.AppendText(dst, &e.Point, e.ShownFooter(), n.around(), verbose)
	})
	return dst
}

// AppendSpans is AppendText with the styles of the text's parts.
func (x *texts) AppendSpans(dst []byte, spans []format.Span, n *Node, verbose bool) ([]byte, []format.Span) {
	x.trace.WithContext(func(c *format.Context) {
		if n.IsThread() {
			dst = trace.AppendThread(dst, c, n.thread)
			return
		}
		e := n.e.Load()
		dst, spans = c.AppendSpans(dst, spans, &e.Point, e.ShownFooter(), n.around(), verbose)
	})
	return dst, spans
}

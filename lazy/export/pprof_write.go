package export

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// outputWriter is the io.Writer of an output.
type outputWriter struct{ *output }

func (w outputWriter) Write(b []byte) (int, error) {
	w.write(b)
	return len(b), w.err
}

// write writes to the compressor. The first error sticks.
func (p *pprof) write(b []byte) {
	if p.err == nil {
		_, p.err = p.zip.Write(b)
	}
}

func (p *pprof) put(field protowire.Number) {
	p.scratch = protowire.AppendTag(p.scratch[:0], field, protowire.BytesType)
	p.scratch = protowire.AppendVarint(p.scratch, uint64(len(p.message)))
	p.write(p.scratch)
	p.write(p.message)
}

// text returns the number of a text, which it writes if it is not known.
func (p *pprof) text(s string) uint64 {
	n, ok := p.texts[s]
	if ok {
		return n
	}
	if n = p.number; len(p.texts) >= mostTexts {
		clear(p.texts)
	}
	p.texts[s] = n
	p.number++
	p.scratch = protowire.AppendTag(p.scratch[:0], profileString, protowire.BytesType)
	p.scratch = protowire.AppendString(p.scratch, s)
	p.write(p.scratch)
	return n
}

func packed(b []byte, field protowire.Number, list []uint64) []byte {
	size := 0
	for _, v := range list {
		size += protowire.SizeVarint(v)
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(size))
	for _, v := range list {
		b = protowire.AppendVarint(b, v)
	}
	return b
}

// validText returns a text as the format of protocol buffers wants it.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// thread returns the number of the name of a thread.
func (p *pprof) thread(thread int32) uint64 {
	n, ok := p.threads[thread]
	if !ok {
		n = p.text(validText(p.j.threadTitle(thread)))
		if len(p.threads) >= mostTexts {
			clear(p.threads)
		}
		p.threads[thread] = n
	}
	return n
}

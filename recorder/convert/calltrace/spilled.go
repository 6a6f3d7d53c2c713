package calltrace

// spillDescriptors makes room for new descriptors: in a block of a thread that is open, or, without
// one, in the temporary file.
func (w *Writer) spillDescriptors() error {
	if t := w.live.next; t != &w.live {
		return w.blocks.Flush(&t.block)
	}
	if w.spilled == nil {
		w.spilled = w.spool.Stream()
	}
	return w.dict.Each(func(object []byte) error { return w.spool.Add(w.spilled, 0, object) })
}

// unspillDescriptors writes the descriptors in the temporary file, in blocks of a thread that has no
// events yet.
func (w *Writer) unspillDescriptors(t *Thread) error {
	if w.spilled == nil {
		return nil
	}
	records := w.spool.OpenBeside(w.spilled)
	w.spilled = nil
	for records.Next() && w.err == nil {
		t.block.Reference(records.Body, w.options.Version)
		_ = t.wrote()
	}
	if w.err == nil {
		w.err = records.Err()
	}
	return w.err
}

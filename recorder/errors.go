package recorder

// limit keeps an error that ends or limits the recording. OnError gets to know
// it with the next tell.
func (r *Recorder) limit(err error) {
	r.errMu.Lock()
	defer r.errMu.Unlock()
	if r.err == nil {
		r.err = err
		r.untold.Store(true)
	}
}

// tell calls OnError if there is news. No lock may be held: it is the caller's
// code, and may call the recorder.
func (r *Recorder) tell() {
	if r.untold.Load() && r.untold.Swap(false) && r.config.OnError != nil {
		r.config.OnError(r.firstError())
	}
	if r.unwarned.Load() && r.unwarned.Swap(false) && r.config.OnError != nil {
		r.errMu.Lock()
		warning := r.warning
		r.errMu.Unlock()
		r.config.OnError(warning)
	}
}

func (r *Recorder) firstError() error {
	r.errMu.Lock()
	defer r.errMu.Unlock()
	return r.err
}

// droppedVariable is the id of what notes of dropped points write to. It is registered
// when it is needed, be it at the end, and whether there is memory for names or
// not.
func (r *Recorder) droppedVariable() int32 {
	g := &r.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.variable(DroppedVariable, longType)
}

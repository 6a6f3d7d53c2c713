package lazy

// left is what a follower knows about data that the program left elsewhere.
type left struct {
	size  int64 // of the data at the last poll
	fault error // why it could not be brought in; nil if not tried
}

// bringIn brings in the data that the program left elsewhere, if it has ended without
// closing the trace. While the data grows it has not.
func (w *follower) bringIn() {
	size := int64(len(w.data.Bytes()))
	switch {
	case w.finish == nil:
	case size != w.left.size:
		w.left = left{size: size}
	case w.left.fault != nil:
		w.why = w.left.fault
	default:
		told, err := w.finish()
		w.left.fault, w.why = err, err
		if told != "" {
			w.note(func(st *Status) { st.Ended = told })
		}
	}
}

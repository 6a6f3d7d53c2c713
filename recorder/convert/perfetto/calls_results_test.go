package perfetto

import (
	"fmt"
	"slices"
	"testing"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// The results of recorded calls are objects of classes of the same recorder, even if
// several recorders, of several versions, use the same ids.
func TestResultsOfSeveral(t *testing.T) {
	s := &callsStory{}
	for i, v := range []format.Version{format.V22, format.V27, format.V22} {
		class := format.ClassDescriptor{Name: fmt.Sprint("Class", i)}
		refs, err := class.Append(nil, v)
		method := format.MethodDescriptor{Name: "m", Result: format.Type{Kind: format.TypeVoid}}
		if err == nil {
			refs, err = method.Append(refs, v)
		}
		result := format.Footer{Result: format.Value{Kind: format.ValueObject, Bits: int64(i)}}
		footer, failed := result.Append(nil, v, format.ClassCall)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		p := calls.Part{Recorder: uint64(i + 1), Format: int(v), HasThread: true, Thread: 1, Name: "main", References: refs,
			Objects: slices.Concat(v.AppendCall(nil, -1, 1, 0, 0, 0, nil), footer), Times: each(2, 1)}
		s.packet(p.Append(nil), 1000)
	}
	for _, to := range []format.Version{format.V22, format.V27} {
		w, err := convertBytes(t, s.trace, Options{FormatVersion: to})
		if err != nil {
			t.Fatal(err)
		}
		if v := versionIn(t, w.data); v != to || len(w.result.LeftOut) > 0 {
			t.Errorf("version %d, want %d: %+v", v, to, w.result)
		}
		ctx, scan, found := contextOf(t, w.data), format.NewBytesScanner(w.data), 0
		for scan.Next() {
			o := scan.Object()
			if o.Kind != format.KindFooter {
				continue
			}
			var f format.Footer
			if _, err := scan.Version().DecodeFooter(o.Bytes, o.Class, &f); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint("Class", f.Result.Hash())
			if class := ctx.Class(f.Result.ClassID); class == nil || class.Name != want {
				t.Errorf("in %d a result is of the class %+v, want %s", to, class, want)
			}
			found++
		}
		if found != 3 {
			t.Errorf("in %d there are %d results", to, found)
		}
	}
}

package cli

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/convert/sources"
	"tracex/recorder/instrument/raw"
)

// inputKind is what a file is.
type inputKind int

const (
	kindUnknown  inputKind = iota
	kindTrace              // data of a trace, or perhaps a packed trace
	kindRaw                // what an instrumented program wrote
	kindPerfetto           // packets
	kindSource             // of a Source
)

// perfettoName is the name of Perfetto's traces in --from.
const perfettoName = "perfetto"

// openSource opens what the argument names, a folder or a file, and recognizes its kind by its
// content, unless from says which it is. The caller closes the stream.
func (a *app) openSource(ctx context.Context, arg, from string) (*stream, error) {
	if arg != "-" && isDir(arg) {
		return openFolder(arg, from)
	}
	s, err := a.openStream(ctx, arg)
	if err != nil {
		return nil, err
	}
	if s.kind, s.source = recognize(s.Head()); s.kind == kindUnknown && from == "" && sources.IsLongJSON(s.Head()) {
		if err := s.lookFurther(ctx); err != nil {
			s.Close()
			return nil, err
		}
		s.kind, s.source = recognize(s.Head())
	}
	if from != "" {
		if s.kind, s.source = kindOf(from); s.kind == kindSource && s.source.Is == nil {
			s.Close()
			return nil, &usageError{s.name + " is not a folder, which " + s.source.What + " is", "without --from its kind is recognized by its content"}
		}
	}
	return s, nil
}

// openFolder is openSource for a folder.
func openFolder(path, from string) (*stream, error) {
	s := &stream{path: path, name: path, size: -1, mode: 0o644, kind: kindSource}
	if st, err := os.Stat(path); err == nil {
		s.mode = st.Mode().Perm()&0o666 | 0o200
	}
	if from == "" {
		s.source = sources.OfFolder(fileSources, path)
	} else if _, s.source = kindOf(from); s.source == nil || s.source.IsFolder == nil {
		return nil, &usageError{path + " is a folder, not a file of " + from, "without --from its kind is recognized by its content"}
	}
	if s.source == nil {
		return nil, &format.Error{File: path, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the file in it to convert, such as trace.pftrace; of folders, convert reads those of " + folderNames()}
	}
	s.size = folderSize(path)
	return s, nil
}

// folderNames names the sources that are folders.
func folderNames() string {
	names := []string{"instrumented Go programs"}
	for i := range fileSources {
		if fileSources[i].IsFolder != nil {
			names = append(names, fileSources[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// kindOf returns the kind that --from names.
func kindOf(from string) (inputKind, *sources.Source) {
	if from == perfettoName {
		return kindPerfetto, nil
	}
	if s := sources.Named(fileSources, from); s != nil {
		return kindSource, s
	}
	return kindUnknown, nil
}

// fromNames returns the words for --from.
func fromNames() []string {
	names := append(sources.Names(fileSources), perfettoName)
	slices.Sort(names)
	return names
}

// recognize tells the kind of a file by its first bytes, unpacked.
func recognize(head []byte) (inputKind, *sources.Source) {
	_, err := format.CheckDataHeader(head)
	switch {
	case err == nil, errors.Is(err, format.ErrVersion), errors.Is(err, format.ErrTruncated), errors.Is(err, format.ErrZIP):
		return kindTrace, nil
	case len(head) >= 8 && binary.LittleEndian.Uint64(head) == raw.Magic:
		return kindRaw, nil
	case isPerfetto(head):
		return kindPerfetto, nil
	}
	if s := sources.OfFile(fileSources, head); s != nil {
		return kindSource, s
	}
	return kindUnknown, nil
}

// perfettoByte is the first byte of all Perfetto traces and of no other trace: the key of
// the first packet.
const perfettoByte = 0x0a

// isPerfetto reports whether a file begins like a Perfetto trace. A text may begin with the same byte, an
// empty line, and so does a profile.
func isPerfetto(head []byte) bool {
	return len(head) > 0 && head[0] == perfettoByte && !sources.IsText(head) && !sources.IsPprof(head)
}

// refuse returns why a file cannot be converted; nil if it can.
func (s *stream) refuse() error {
	e := &format.Error{File: s.name}
	switch s.kind {
	case kindTrace:
		e.Err, e.Found = perfetto.ErrTrace, "a trace that needs no conversion"
		if s.Packed() != "" {
			e.Found = "a trace in " + s.Packed() + ", which needs no conversion"
		}
	case kindRaw:
		e.Err, e.Found = format.ErrNotTrace, "a recording of an instrumented Go program, which is converted alone, from a file or folder that is not compressed"
	case kindUnknown:
		if err := cmp.Or(s.short, s.Short()); err != nil {
			return format.At(err, s.name, 0)
		}
		what, _ := sources.Describe(s.Head())
		if e.Err, e.Found = format.ErrNotTrace, what; len(s.Head()) == 0 {
			e.Offset = -1
		}
		if s.Packed() != "" {
			e.Found += ", in " + s.Packed()
		}
		e.Hint = "convert reads " + strings.Join(fromNames(), ", ") + " (tracex help exchange); --from NAME if it is one of these"
		if strings.Contains(s.Packed(), "ZIP") {
			e.Hint = "of a ZIP file only the first file is read: unpack it, and give the trace"
		}
	default:
		return nil
	}
	return e
}

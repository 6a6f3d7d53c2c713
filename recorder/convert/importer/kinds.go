package importer

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/appmap"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/gotrace"
	"tracex/recorder/convert/jaeger"
	"tracex/recorder/convert/otlp"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/uftrace"
	"tracex/recorder/convert/xdebug"
	"tracex/recorder/instrument/raw"
)

const (
	KindUnknown  Kind = iota
	KindTrace         // data of a trace, or perhaps a packed trace
	KindRaw           // what an instrumented program wrote
	KindPerfetto      // packets
	KindSource        // of a Source
)

// all are the sources. A file or folder is of the first that recognizes it.
var all = []sources.Source{
	gotrace.Source, xdebug.Source, appmap.Source, otlp.Source, jaeger.Source, chrome.Source, uftrace.Source,
}

// first returns the first source that is meant; nil if none is.
func first(is func(*sources.Source) bool) *sources.Source {
	for i := range all {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// ofFile returns the source of a file that begins with head, unpacked; nil if it is of no source.
func ofFile(head []byte) *sources.Source {
	return first(func(s *sources.Source) bool { return s.Is != nil && s.Is(head) })
}

// ofFolder returns the source of a folder; nil if it is of no source.
func ofFolder(path string) *sources.Source {
	return first(func(s *sources.Source) bool { return s.IsFolder != nil && s.IsFolder(path) })
}

// perfettoName is the name of Perfetto's traces in --from.
const perfettoName = "perfetto"

// KindError says that an input is not of the kind that it was said to be.
type KindError struct{ text string }

func (e *KindError) Error() string { return e.text }

// Open opens what the argument names, a folder, a file, or stdin by "-", and recognizes its kind by its
// content, unless from, one of [FromNames], says which it is. The caller closes the input. An error may be a
// [*KindError].
func Open(ctx context.Context, stdin *os.File, arg, from string) (*Input, error) {
	if st, err := os.Stat(arg); arg != "-" && err == nil && st.IsDir() {
		return openFolder(arg, st.Mode(), from)
	}
	s, err := open(ctx, stdin, arg)
	if err != nil {
		return nil, err
	}
	if s.Kind, s.source = recognize(s.Head()); s.Kind == KindUnknown && from == "" && sources.IsLongJSON(s.Head()) {
		if err := s.lookFurther(ctx); err != nil {
			s.Close()
			return nil, err
		}
		s.Kind, s.source = recognize(s.Head())
	}
	if s.from = from; from != "" {
		if s.Kind, s.source = kindOf(from); s.Kind == KindSource && s.source.Is == nil {
			s.Close()
			return nil, &KindError{s.Name + " is not a folder, which " + s.source.What + " is"}
		}
	}
	return s, nil
}

// openFolder is Open for a folder.
func openFolder(path string, mode fs.FileMode, from string) (*Input, error) {
	s := &Input{Path: path, Name: path, Size: -1, mode: mode.Perm()&0o666 | 0o200, Kind: KindSource, from: from}
	if from == "" {
		s.source = ofFolder(path)
	} else if _, s.source = kindOf(from); s.source == nil || s.source.IsFolder == nil {
		return nil, &KindError{path + " is a folder, not a file of " + from}
	}
	if s.source == nil {
		return nil, &format.Error{File: path, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the file in it to convert, such as trace.pftrace; of folders, convert reads those of " + folderNames()}
	}
	s.Size = folderSize(path)
	return s, nil
}

// folderNames names the sources that are folders.
func folderNames() string {
	names := []string{"instrumented Go programs"}
	for i := range all {
		if all[i].IsFolder != nil {
			names = append(names, all[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// kindOf returns the kind that --from names.
func kindOf(from string) (Kind, *sources.Source) {
	if from == perfettoName {
		return KindPerfetto, nil
	}
	if s := first(func(s *sources.Source) bool { return s.Name == from }); s != nil {
		return KindSource, s
	}
	return KindUnknown, nil
}

// FromNames returns the names of the kinds that are converted: the words for --from.
func FromNames() []string {
	names := []string{perfettoName}
	for i := range all {
		names = append(names, all[i].Name)
	}
	slices.Sort(names)
	return names
}

// recognize tells the kind of a file by its first bytes, unpacked.
func recognize(head []byte) (Kind, *sources.Source) {
	_, err := format.CheckDataHeader(head)
	switch {
	case err == nil, errors.Is(err, format.ErrVersion), errors.Is(err, format.ErrTruncated), errors.Is(err, format.ErrZIP):
		return KindTrace, nil
	case len(head) >= 8 && binary.LittleEndian.Uint64(head) == raw.Magic:
		return KindRaw, nil
	case isPerfetto(head):
		return KindPerfetto, nil
	}
	if s := ofFile(head); s != nil {
		return KindSource, s
	}
	return KindUnknown, nil
}

// perfettoByte is the first byte of all Perfetto traces and of no other trace: the key of
// the first packet.
const perfettoByte = 0x0a

// isPerfetto reports whether a file begins like a Perfetto trace. A text may begin with the same byte, an
// empty line, and so does a profile.
func isPerfetto(head []byte) bool {
	return len(head) > 0 && head[0] == perfettoByte && !sources.IsText(head) && !sources.IsPprof(head)
}

// Refuse returns why a file cannot be converted; nil if it can.
func (s *Input) Refuse() error {
	e := &format.Error{File: s.Name}
	switch s.Kind {
	case KindTrace:
		e.Err, e.Found = perfetto.ErrTrace, "a trace that needs no conversion"
		if s.Packed() != "" {
			e.Found = "a trace in " + s.Packed() + ", which needs no conversion"
		}
	case KindRaw:
		e.Err, e.Found = format.ErrNotTrace, "a recording of an instrumented Go program, which is converted alone, from a file or folder that is not compressed"
	case KindUnknown:
		if err := cmp.Or(s.short, s.Short()); err != nil {
			return format.At(err, s.Name, 0)
		}
		what, _ := sources.Describe(s.Head())
		if e.Err, e.Found = format.ErrNotTrace, what; len(s.Head()) == 0 {
			e.Offset = -1
		}
		if s.Packed() != "" {
			e.Found += ", in " + s.Packed()
		}
		e.Hint = "convert reads " + strings.Join(FromNames(), ", ") + " (tracex help exchange); --from NAME if it is one of these"
		if strings.Contains(s.Packed(), "ZIP") {
			e.Hint = "of a ZIP file only the first file is read: unpack it, and give the trace"
		}
	default:
		return nil
	}
	return e
}

// Unreadable returns why a file cannot be read, if more is known than the reader of traces says.
func (s *Input) Unreadable() error {
	if _, known := sources.Describe(s.Head()); known || s.Packed() != "" {
		return s.Refuse()
	}
	return nil
}

// Convertible reports whether a file is not a trace, but can be converted to one.
func (s *Input) Convertible() bool {
	return s.Kind == KindSource || s.Kind == KindPerfetto || s.Kind == KindTrace && s.Packed() != ""
}

// IsFolder reports whether a folder is one of another tool.
func IsFolder(path string) bool { return ofFolder(path) != nil }

// lookFurther makes the outline of a long file of JSON whose beginning does not tell what it is.
func (s *Input) lookFurther(ctx context.Context) error {
	known := func(outline []byte) bool { return ctx.Err() != nil || ofFile(outline) != nil }
	if s.file == nil || s.Pipe {
		s.outline, s.short = s.Content.Outline(known)
		return context.Cause(ctx)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	again, err := sources.NewContent(&untilDoneFile{f, ctx})
	if err != nil {
		return err
	}
	defer again.Close()
	s.outline, s.short = sources.Outline(again, known)
	return context.Cause(ctx)
}

// DataPath returns the path of the data file that is made of an input, beside it.
func (s *Input) DataPath() string {
	suffixes := sourceSuffixes
	if s.Kind == KindPerfetto {
		suffixes = perfettoSuffixes
	}
	return sourceStem(s.Path, suffixes) + ".bin"
}

// folderSize returns the size of the files of a folder, at any depth; -1 if unknown.
func folderSize(path string) (size int64) {
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			size += st.Size()
		}
		return err
	})
	if err != nil {
		return -1
	}
	return size
}

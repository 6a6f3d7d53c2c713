package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tracex/recorder/convert/sources"
)

// openConverted is openWhole for what is not a trace, but can be converted to one, and for pipes. It returns nil for
// other files, whose opening reports what they are. keep says that the trace may be kept in the cache.
func (a *app) openConverted(ctx context.Context, arg string, keep bool) (*input, error) {
	if arg != "-" {
		if st, err := os.Stat(arg); err != nil || !st.Mode().IsRegular() && !st.IsDir() && st.Mode()&os.ModeNamedPipe == 0 {
			return nil, nil
		} else if st.IsDir() && a.from == "" && (rawFiles(arg) != nil || sources.OfFolder(fileSources, arg) == nil) {
			return nil, nil
		}
	}
	s, err := a.openSource(ctx, arg, a.from)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	m := &importer{a, s}
	switch {
	case arg == "-" || s.pipe:
		return m.convertPipe(ctx)
	case s.kind == kindRaw || s.kind == kindTrace && s.Packed() == "":
		return nil, nil
	case s.kind == kindUnknown:
		return nil, s.unreadable()
	case !keep:
		return m.convertTemporarily(ctx)
	}
	return m.convertKept(ctx)
}

// unreadable returns why a file cannot be read, if more is known than the reader of traces says.
func (s *stream) unreadable() error {
	if _, known := sources.Describe(s.Head()); known || s.Packed() != "" {
		return s.refuse()
	}
	return nil
}

// importer makes a trace of an input, in a place of the program's own.
type importer struct {
	*app
	from *stream
}

// convertPipe copies a trace from a pipe, or converts what is in it, into a temporary directory.
func (m *importer) convertPipe(ctx context.Context) (*input, error) {
	if m.from.kind == kindPerfetto || m.from.kind == kindSource || m.from.kind == kindUnknown && m.from.unreadable() != nil {
		return m.convertTemporarily(ctx)
	}
	return m.copyTemporarily(ctx)
}

// copyTemporarily copies a trace to a temporary directory.
func (m *importer) copyTemporarily(ctx context.Context) (*input, error) {
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, spoolHint(err, os.TempDir())
	}
	in := &input{path: filepath.Join(dir, "trace"), name: m.from.name, dir: dir}
	if err := in.copyFrom(ctx, m.app, m.from); err != nil {
		in.close()
		return nil, spoolHint(err, in.path)
	}
	return in, nil
}

// convertTemporarily converts a file to a trace in a temporary directory.
func (m *importer) convertTemporarily(ctx context.Context) (*input, error) {
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, spoolHint(err, os.TempDir())
	}
	in := &input{name: m.from.name, dir: dir, made: &convertedTrace{fresh: true}}
	if in.made.about, err = m.convertTo(ctx, dir); err != nil {
		in.close()
		if strings.Contains(message(err), dir) {
			err = withHint(err, hintTMPDIR)
		}
		return nil, err
	}
	in.path = filepath.Join(dir, in.made.about.Data)
	return in, nil
}

// convertTo makes a trace in a folder of the program's own.
func (m *importer) convertTo(ctx context.Context, dir string) (about aboutConverted, err error) {
	about.Data = "trace.bin"
	if m.from.path != "-" {
		about.Data = filepath.Base(sourceStem(m.from.path, allSuffixes)) + ".bin"
	}
	made := conversion{app: m.app, output: filepath.Join(dir, about.Data)}
	var damage error
	switch m.from.kind {
	case kindTrace: // in a compressed file
		return about, m.from.unpackTo(ctx, m.app, made.output)
	case kindPerfetto:
		result, fault, err := made.convertPackets(ctx, m.from)
		if err != nil {
			return about, err
		}
		about.LeftOut, damage = append(leftLines(result.LeftOut), changeLines(result.Changes)...), fault
	case kindSource:
		result, fault, err := made.convertSources(ctx, []*stream{m.from})
		if err != nil {
			return about, err
		}
		about.LeftOut, damage = sourceLines(result), fault
	default:
		return about, m.from.refuse()
	}
	about.setDamage(damage)
	return about, nil
}

// unpackTo writes the trace that is compressed in a file.
func (s *stream) unpackTo(ctx context.Context, a *app, path string) error {
	p := newImportProgress(a.newProgress("unpacking"), []*stream{s})
	defer p.end()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(&untilDone{ctx, f}, &watched{s, p})
	return errors.Join(err, f.Close())
}

// convertible reports whether a file is not a trace, but can be converted to one.
func (a *app) convertible(ctx context.Context, path string) bool {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() && !st.IsDir() {
		return false
	}
	s, err := a.openSource(ctx, path, a.from)
	if err != nil {
		return false
	}
	defer s.Close()
	return s.kind == kindSource || s.kind == kindPerfetto || s.kind == kindTrace && s.Packed() != ""
}

package recording

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"tracex/format/formattest"
)

func create(t *testing.T, trace string, about About) *Directory {
	t.Helper()
	f, err := Create(trace, about)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A directory belongs to one process: the one that records, and after its end the one that
// makes the trace.
func TestDirectory(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.bin")
	if _, err := Take(trace); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	f := create(t, trace, About{PID: 7, Command: []string{"prog"}, Replace: true})
	if _, err := Create(trace, About{}); !errors.Is(err, ErrRecording) || err.Error() != "still being recorded by process 7" {
		t.Errorf("another: %v", err)
	}
	if _, err := Take(trace); !errors.Is(err, ErrRecording) {
		t.Errorf("taken while it is recorded: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(trace, About{}); !errors.Is(err, ErrUnfinished) {
		t.Errorf("beside one that was left: %v", err)
	}
	f, err := Take(trace)
	if err != nil || f.About.PID != 7 || !f.About.Replace || f.About.Command[0] != "prog" {
		t.Fatalf("%+v, %v", f, err)
	}
	if _, err := Take(trace); !errors.Is(err, ErrFinishing) {
		t.Errorf("taken twice: %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if left := formattest.Names(t, filepath.Dir(trace)); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
	if err := create(t, trace, About{}).Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(trace, "none", "trace.bin"), About{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nowhere: %v", err)
	}
}

// What State returns throughout a recording's life, and that it changes nothing.
func TestState(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.bin")
	check := func(when string, wantBegun bool, want error) {
		t.Helper()
		before := formattest.Names(t, filepath.Dir(trace))
		for range 2 { // a look keeps nothing
			begun, err := State(trace)
			if begun != wantBegun || !errors.Is(err, want) {
				t.Errorf("%s: %v, %v, want %v, %v", when, begun, err, wantBegun, want)
			}
		}
		if after := formattest.Names(t, filepath.Dir(trace)); !slices.Equal(after, before) {
			t.Errorf("%s: there are %q, there were %q", when, after, before)
		}
	}
	progress := func(f *Directory, text string) {
		t.Helper()
		if err := os.WriteFile(f.Progress(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check("without a recording", false, nil)
	f := create(t, trace, About{PID: 7})
	check("before the first call", false, ErrRecording)
	progress(f, "")
	check("when the file of the progress was just made", false, ErrRecording)
	progress(f, "somewhere")
	check("with calls in the trace", true, ErrRecording)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	check("when its process has ended", true, ErrUnfinished)
	f, err := Take(trace)
	if err != nil {
		t.Fatal(err)
	}
	check("while it is completed", true, ErrFinishing)
	if err := os.Remove(f.Progress()); err != nil {
		t.Fatal(err)
	}
	check("while it is completed, without a call", false, ErrFinishing)
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	check("when it is complete", false, nil)
}

// Something else in the directory's place is no recording, and stays.
func TestDirectoryOfOthers(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.bin")
	if err := os.WriteFile(trace+Suffix, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(trace); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("taken: %v", err)
	}
	if begun, err := State(trace); begun || err != nil {
		t.Errorf("its state: %v, %v", begun, err)
	}
	if f, err := Create(trace, About{}); err == nil {
		t.Errorf("made in its place: %+v", f)
	}
	if left := formattest.Names(t, filepath.Dir(trace)); !slices.Equal(left, []string{"trace.bin" + Suffix}) {
		t.Errorf("there are %q", left)
	}
}

// A recording whose description is damaged, or missing, can be taken over, too.
func TestTakeWithoutAbout(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.bin")
	f := create(t, trace, About{PID: 7})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	about := filepath.Join(f.Path(), aboutName)
	for _, damage := range []func() error{
		func() error { return os.WriteFile(about, []byte(`{"pid": 7, "comm`), 0o600) },
		func() error { return os.Remove(about) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		f, err := Take(trace)
		if err != nil || f.About.PID != 0 || f.About.Command != nil {
			t.Fatalf("%+v, %v", f, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Everything about a recording is kept. Its files are in its directory, whose path is absolute.
func TestAbout(t *testing.T) {
	t.Chdir(t.TempDir())
	want := About{
		PID: 7, Command: []string{"prog", "an argument"}, Begun: time.Unix(1_800_000_000, 5).UTC(), Replace: true,
		Sockets: "sockets", FormatVersion: 22,
	}
	f := create(t, "trace.bin", want)
	if !filepath.IsAbs(f.Path()) || filepath.Base(f.Path()) != "trace.bin"+Suffix {
		t.Errorf("the directory is %s", f.Path())
	}
	for _, path := range []string{f.Spool(), f.Progress()} {
		if filepath.Dir(path) != f.Path() {
			t.Errorf("%s is not in %s", path, f.Path())
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Take("trace.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f.About, want) {
		t.Errorf("%+v, want %+v", f.About, want)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
}

// In the socket directory that about.json names only sockets are removed.
func TestRemoveSockets(t *testing.T) {
	dir, err := os.MkdirTemp("", SocketsPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "producers"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	strange := filepath.Join(dir, "strange")
	if err := os.WriteFile(strange, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace.bin")
	for _, want := range [][]string{{"strange"}, nil} {
		if err := create(t, trace, About{Sockets: dir}).Remove(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			break
		}
		if left := formattest.Names(t, dir); !slices.Equal(left, want) {
			t.Errorf("%q stay, want %q", left, want)
		}
		if err := os.Remove(strange); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s stays: %v", dir, err)
	}
	other := t.TempDir()
	if err := create(t, trace, About{Sockets: other}).Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("another directory: %v", err)
	}
}

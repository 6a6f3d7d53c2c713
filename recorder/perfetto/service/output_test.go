//go:build linux

package service

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestOutputPath has the service make a file where it may, and nowhere else.
func TestOutputPath(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "target"), link); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 10)
	s := serve(t, Config{OnError: func(err error) { told <- err.Error() }})
	for path, want := range map[string]string{
		"":                               "When write_into_file==true either a FD needs to be passed or output_path must be populated (but not both)",
		there:                            "Failed to create the trace file " + there,
		link:                             "Failed to create the trace file " + link,
		dir:                              "Failed to create the trace file " + dir,
		filepath.Join(dir, "none", "of"): "Failed to create the trace file " + filepath.Join(dir, "none", "of"),
		there + "\x00":                   "Failed to create the trace file " + there + "\x00",
	} {
		c := consume(t, s)
		cfg := config(64)
		cfg.WriteIntoFile = proto.Bool(true)
		if path != "" {
			cfg.OutputPath = proto.String(path)
		}
		c.enable(cfg)
		if why := c.end(); why != want {
			t.Errorf("%q: refused with %q, want %q", path, why, want)
		}
		if path != "" {
			if why := <-told; !strings.Contains(why, "output_path") {
				t.Errorf("%q: told %q", path, why)
			}
		}
	}
	if got := contents(t, there); string(got) != "precious" {
		t.Errorf("what was there is %q", got)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("left are %v, %v", list, err)
	}
	// One that it makes is the user's alone, and the service's to close.
	c := consume(t, s)
	cfg := config(64)
	made := filepath.Join(dir, "made")
	cfg.WriteIntoFile, cfg.OutputPath = proto.Bool(true), proto.String(made)
	c.enable(cfg)
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestFileVanishes has the file of a session be removed while it is written: the
// session ends as any other, and the rest goes on.
func TestFileVanishes(t *testing.T) {
	s := serve(t, Config{OnError: func(err error) { t.Error(err) }})
	p := connect(t, s, "prog", offer("words"))
	c, other := consume(t, s), consume(t, s)
	dir := t.TempDir()
	cfg := config(64, "words")
	cfg.WriteIntoFile, cfg.OutputPath = proto.Bool(true), proto.String(filepath.Join(dir, "trace"))
	c.enable(cfg)
	p.waitFor("start 1")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	p.write(1, "one")
	c.flush()
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	other.enable(config(64, "words"))
	p.waitFor("start 2")
	p.write(2, "two")
	other.flush()
	other.reads("!two")
}

// TestWriteFlush has producers be asked to commit before what they have is
// written, at a period, or not at all, as the config says.
func TestWriteFlush(t *testing.T) {
	const enabled, disabled = messages.TraceConfig_WRITE_FLUSH_ENABLED, messages.TraceConfig_WRITE_FLUSH_DISABLED
	for what, c := range map[string]struct {
		mode               messages.TraceConfig_WriteFlushMode
		write, flush, pass uint32 // periods, ms
		want               int    // flushes
	}{
		"often so every five seconds":     {0, 1000, 0, 10_000, 2},
		"whatever the config says":        {messages.TraceConfig_WRITE_FLUSH_AUTO, 1000, 100, 10_000, 2},
		"seldom so with each write":       {0, 20_000, 0, 40_000, 2},
		"with each write":                 {enabled, 1000, 100, 3000, 3},
		"never":                           {disabled, 1000, 0, 40_000, 0},
		"at the period of the config":     {disabled, 5000, 2000, 10_000, 5},
		"by default it is written so too": {disabled, 0, 0, 10_000, 0},
	} {
		t.Run(what, func(t *testing.T) {
			s, clock := serveAt(t, Config{})
			p, k := newStepper(t, s, false), consume(t, s)
			cfg := config(64, "raw.ds")
			cfg.WriteFlushMode, cfg.FflushPostWrite = c.mode.Enum(), messages.TraceConfig_FFLUSH_ENABLED.Enum()
			cfg.FileWritePeriodMs, cfg.FlushPeriodMs = proto.Uint32(c.write), proto.Uint32(c.flush)
			file := create(t)
			k.recordInto(cfg, file)
			<-p.ready
			p.add(w1(0, 1, 0, named("one")))
			for range c.pass / 1000 {
				clock.pass(time.Second)
				p.sync()
				for len(p.flushes) > 0 {
					c.want--
					m := <-p.flushes
					if m.GetFlags() != flushPeriodic {
						t.Errorf("%v", m)
					}
					p.invoke("CommitData", &messages.CommitDataRequest{FlushRequestId: m.RequestId})
				}
			}
			if c.want != 0 {
				t.Errorf("%d flushes more were wanted", c.want)
			}
			awaitFile(t, file.Name(), func(b []byte) bool { return bytes.Contains(b, []byte("one")) })
		})
	}
}

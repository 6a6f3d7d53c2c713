//go:build linux

package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// servedProgram starts a service, and in this process a program that records a slice when a
// session wants track events, and another packet when it wants words. written receives when the
// service has that.
func servedProgram(t *testing.T) (socket string, written <-chan error) {
	t.Helper()
	dir := ipctest.Directory(t)
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	p, err := producer.Start(producer.Options{Name: "prog", Address: filepath.Join(dir, "p")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	done := make(chan error, 8)
	for name, packets := range map[string][]*messages.TracePacket{
		"track_event": slicePackets(),
		"words":       {{Data: &messages.TracePacket_ForTesting{ForTesting: &messages.TestEvent{Str: proto.String("a word")}}}},
	} {
		_, err := p.Register(producer.DataSourceSpec{Name: name, Policy: producer.Stall, Start: func(i *producer.Instance) {
			for _, packet := range packets {
				b, err := proto.Marshal(packet)
				if err != nil || !i.Write(b) {
					t.Errorf("a packet was not written: %v", err)
				}
			}
			go func() { done <- p.Flush(context.Background()) }()
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "c"), done
}

// slicePackets are the packets of a slice.
func slicePackets() []*messages.TracePacket {
	track, now := proto.Uint64(7), producer.BootTime(time.Now())
	event := func(after uint64, kind messages.TrackEvent_Type) *messages.TracePacket {
		return &messages.TracePacket{
			Timestamp: proto.Uint64(now + after),
			Data: &messages.TracePacket_TrackEvent{TrackEvent: &messages.TrackEvent{
				TrackUuid: track, Type: kind.Enum(), Categories: []string{"shop"}, NameField: &messages.TrackEvent_Name{Name: "order"},
			}},
		}
	}
	return []*messages.TracePacket{
		{Data: &messages.TracePacket_TrackDescriptor{TrackDescriptor: &messages.TrackDescriptor{
			Uuid: track, Thread: &messages.ThreadDescriptor{Pid: proto.Int32(1), Tid: proto.Int64(1), ThreadName: proto.String("main")},
		}}},
		event(0, messages.TrackEvent_TYPE_SLICE_BEGIN),
		event(1000, messages.TrackEvent_TYPE_SLICE_END),
	}
}

// TestRecordService records with a running service, until an interrupt.
func TestRecordService(t *testing.T) {
	socket, written := servedProgram(t)
	const buffers = "buffers { size_kb: 1024 }\n"
	for _, c := range []struct {
		name, config string
		stdin        bool
		flags        []string
		code         int
		says         []string
		trace        string   // what print prints
		files        []string // besides those of the trace
	}{
		{
			"an older trace in the place of the new one", buffers + `data_sources { config { name: "track_event" } }`, false, nil, 0,
			[]string{"the trace that was there before is trace.old.bin"}, "shop.order()", []string{"trace.old.bin", "trace.old.bin.idx", "trace.old.bin.tim"},
		},
		{
			"text", buffers + `data_sources { config { name: "track_event" } }`, false, nil, 0,
			[]string{"recording with the service at " + socket + " (Ctrl-C ends it)", "1 thread, 1 event"}, "shop.order()", nil,
		},
		{
			"a file that the service writes, of standard input", buffers + `data_sources { config { name: "track_event" } } write_into_file: true`, true,
			[]string{"--keep-raw"}, 0, []string{"kept what the service recorded in trace.bin.pftrace"}, "shop.order()", []string{"trace.bin.pftrace"},
		},
		{
			"no calls", buffers + `data_sources { config { name: "words" } }`, false, nil, 130,
			[]string{"no trace written: the session has no calls", "kept what the service recorded in trace.bin.pftrace"}, "", []string{"trace.bin.pftrace"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, path := t.TempDir(), "-"
			if !c.stdin {
				path = "config"
				if err := os.WriteFile(filepath.Join(dir, path), []byte(c.config), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if slices.Contains(c.files, "trace.old.bin") {
				if _, said, exit := runCommand(t, "demo", "--save", filepath.Join(dir, "trace.bin")); exit != 0 {
					t.Fatal(said)
				}
			}
			cmd, stderr, _ := command(t, append(append([]string{"record", "--service", socket}, c.flags...), path)...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(c.config)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err := <-written:
				if err == nil {
					err = cmd.Process.Signal(syscall.SIGINT)
				}
				if err != nil {
					t.Fatal(err)
				}
			case err := <-ended:
				t.Fatalf("it ended: %v: %s", err, stderr)
			}
			if got := code(t, <-ended); got != c.code {
				t.Errorf("exit code %d: %s", got, stderr)
			}
			for _, says := range c.says {
				if !strings.Contains(stderr.String(), says) {
					t.Errorf("it does not say %q but %s", says, stderr)
				}
			}
			wantFiles(t, dir, c.trace != "", c.files)
			if c.trace != "" {
				shown, _, _ := command(t, "print", "trace.bin")
				shown.Dir = dir
				if out, err := shown.Output(); err != nil || !strings.Contains(string(out), c.trace) {
					t.Errorf("%v: %s", err, out)
				}
			}
		})
	}
}

// wantFiles checks which files a recording left in a directory.
func wantFiles(t *testing.T, dir string, trace bool, more []string) {
	t.Helper()
	want := append([]string{"config"}, more...)
	if trace {
		want = append(want, "trace.bin", "trace.bin.idx", "trace.bin.tim")
	}
	for _, e := range files(t, dir) {
		if !strings.Contains(strings.Join(want, " ")+" ", e+" ") {
			t.Errorf("it left %s", e)
		}
	}
	for _, name := range want[1:] {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestRecordServiceRefused has mistakes that record nothing and leave nothing.
func TestRecordServiceRefused(t *testing.T) {
	socket, _ := servedProgram(t)
	for _, c := range []struct {
		config string
		args   []string
		code   int
		says   string
	}{
		{"", []string{"--service", socket}, 2, "--service needs the config of a session"},
		{"", []string{"--service", socket, "--only", "x.*", "config"}, 2, "--only does not go with --service"},
		{"buffers { size_kb: 4 ", []string{"--service", socket, "config"}, 2, "config: trace config: "},
		{"no_such_field: 3", []string{"--service", socket, "config"}, 2, "unknown field: no_such_field"},
		{`output_path: "/tmp/x"`, []string{"--service", socket, "config"}, 2, "output_path"},
		{"trace_filter { bytecode: 'x' }", []string{"--service", socket, "config"}, 1, "the tracing service: "},
		{"buffers { size_kb: 4 }", []string{"--service", socket + ".none", "config"}, 1, "no tracing service at " + socket + ".none"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config"), []byte(c.config), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd, stderr, _ := command(t, append([]string{"record"}, c.args...)...)
		cmd.Dir = dir
		if got := code(t, cmd.Run()); got != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%q: exit code %d: %s", c.args, got, stderr)
		}
		wantFiles(t, dir, false, nil)
	}
}

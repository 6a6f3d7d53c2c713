package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/service"
)

// socketFolder creates a directory for the sockets of a private service, named producers and
// consumers. It is among the temporary files, unless a socket's path would be too long there:
// some systems allow 103 bytes.
func socketFolder(name string) (string, error) {
	const longest, short = 103, "/tmp"
	in := os.TempDir()
	if len(filepath.Join(in, name+"4294967295", "producers")) > longest {
		if _, err := os.Stat(short); err == nil {
			in = short
		}
	}
	return os.MkdirTemp(in, name)
}

// recordingSession is a session of the private service that is being written to a file.
type recordingSession struct {
	*service.Session
	written chan error // result of Read: the file is complete
}

// startRecording starts a session whose packets are written to a file.
func startRecording(s *service.Service, to io.Writer, f *recordCommand) (*recordingSession, error) {
	session, err := s.Record(recordConfig(f))
	if err != nil {
		return nil, err
	}
	r := &recordingSession{Session: session, written: make(chan error, 1)}
	go func() {
		err := r.Read(context.Background(), func(p service.Packets) error {
			_, err := to.Write(p.Trace())
			return err
		})
		if err != nil {
			f.reportServiceError(fmt.Errorf("recording stops: %w", err))
			_ = r.Stop(context.Background()) // programs need not record data that has no place
		}
		r.written <- err
	}()
	return r, nil
}

// recordConfig requests everything that a program can record.
func recordConfig(f *recordCommand) service.SessionConfig {
	// Clearing makes Perfetto's library repeat names and tracks: after a loss, later packets
	// could not be read without them.
	return service.SessionConfig{
		Buffer: max(int64(f.buffer), 64<<10),
		Sources: []service.DataSource{
			{Name: perfetto.TrackEventSource, Categories: f.categories},
			{Name: perfetto.CallsSource},
		},
		ReadPeriod: 250 * time.Millisecond, FlushPeriod: time.Second, ClearPeriod: time.Second,
	}
}

// had is what a session received.
type had struct {
	anything           bool   // packets from a program, or from data that one left behind
	programs, sessions uint64 // programs that connected, and sessions that they began to record
}

// nothing returns the error for a session that received nothing.
func (h had) nothing(program string) error {
	const needs = "a program must import _ \"tracex/recorder/shared\" with tracex's recorder, or be built with Perfetto's client library"
	switch {
	case h.programs == 0:
		return withHint(fmt.Errorf("no trace written: %s did not connect to the tracing service", program), needs+", and run long enough to connect")
	case h.sessions == 0:
		return withHint(fmt.Errorf("no trace written: %s connected, but offered nothing to record", program), needs)
	}
	return withHint(fmt.Errorf("no trace written: %s connected, but recorded nothing", program),
		"it made no recorded call, or ended before it sent one; is --category too narrow?")
}

// stop ends the session. When it returns, the file is complete.
func (r *recordingSession) stop(ctx context.Context) (had, error) {
	// An error would only mean that a program is gone, which has nothing to flush.
	_ = r.Flush(ctx, 2*time.Second)
	if err := errors.Join(r.Stop(ctx), <-r.written); err != nil {
		return had{}, err
	}
	stats := r.Stats()
	return had{programs: stats.Producers, sessions: stats.Instances, anything: stats.Chunks > 0}, nil
}

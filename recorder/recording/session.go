package recording

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"tracex/format/tracefile"
	"tracex/recorder"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/shared"
)

// Session records programs and makes the trace. Its methods are called in their order, by one goroutine:
// [New], Start, Stop, Convert, Complete, and Close.
type Session struct {
	maker
	options string // of instrumented programs
	keep    bool   // the directory has the only copy of some data

	source  traceSource
	service *service.Service
	packets *packetSession
	live    *liveConversion // of packets, for Packets
	raws    *rawConversion
	own     *ownRecording // of packets, for Instrumented
	had     received
	failed  error  // of the packets
	spool   string // where packets are that are not converted yet; "" if there are none
	made    Trace  // of raw files
}

// New makes the directory of a recording. An error is a [*TakenError] if the place of the trace is not free. The
// caller calls Close.
func New(o Options) (s *Session, err error) {
	s = &Session{maker: maker{Options: o}}
	if s.options, err = o.Calls.text(o.Output, o.Keep); err != nil {
		return nil, err
	}
	switch {
	case o.Keep != nil:
		err = s.checkFolder()
	case o.Kind == Instrumented && o.Split: // the names of the traces are not known yet
		err = s.checkRecording()
	default:
		err = s.checkOutput()
	}
	if err != nil {
		return nil, err
	}
	sockets := ""
	switch o.Kind {
	case Packets:
		sockets, err = SocketDir(SocketsPrefix)
	case Instrumented:
		sockets = s.ownSockets()
	}
	if err == nil {
		err = s.createDir(sockets)
	}
	if err != nil {
		_ = os.RemoveAll(sockets)
		return nil, err
	}
	return s, nil
}

// createDir creates the directory that holds the recording until it is a trace.
func (s *Session) createDir(sockets string) (err error) {
	about := About{PID: os.Getpid(), Command: s.Command, Begun: time.Now(), Replace: s.Replace, Sockets: sockets, FormatVersion: int(s.Version), Split: s.Split, Keep: s.Keep}
	// Beside the trace: that disk needs room for it anyway.
	s.dir, err = Create(s.Output, about)
	if errors.Is(err, ErrUnfinished) && s.Replace {
		left, taken := Take(s.Output)
		if taken == nil {
			taken = left.Remove()
		}
		if taken != nil {
			return taken
		}
		s.dir, err = Create(s.Output, about)
	}
	if err == nil && s.Keep != nil {
		err = os.WriteFile(filepath.Join(s.dir.Path(), raw.KeptName), make([]byte, raw.KeptSize), 0o600)
	}
	return s.unendedError(err)
}

// Folder is the directory in which programs write. Spool is the path of the file of packets in it.
func (s *Session) Folder() string { return s.dir.Path() }
func (s *Session) Spool() string  { return s.dir.Spool() }

// Aside is where a trace went that was at the place of the new one; "" if there was none.
func (s *Session) Aside() string { return s.dir.Aside }

// Start begins to receive what programs record. several says that there may be several instrumented programs.
func (s *Session) Start(several bool) (err error) {
	if s.Kind == Packets {
		if s.service, err = service.Start(service.Config{
			Producers: producerSocket(s.dir), Consumers: consumerSocket(s.dir), OnError: s.Listener.Problem,
		}); err != nil {
			return err
		}
		if s.live, err = newLiveConversion(s.Output, s.dir); err != nil {
			return tracefile.WriteError(s.Output, err)
		}
		s.live.files.may = func() error {
			if s.Split || s.source.takeRaws(s.dir) || !s.source.take(fromPackets) { // with Split the traces are known only at the end
				return errOtherSource
			}
			return nil
		}
	}
	if s.raws, err = newRawConversion(&s.maker, several, &s.source); err != nil {
		return err
	}
	switch s.Kind {
	case Packets:
		s.live.rest.ready = &s.raws.ready
		s.packets, err = startPackets(s.service, s.live, &s.maker)
	case Instrumented:
		s.own = startOwn(&s.maker, &s.raws.ready)
	}
	return err
}

// RawOptions are the options of instrumented programs: see raw.OptionsVariable.
func (s *Session) RawOptions() string { return s.options }

// Happened reports whether what the recording is to last until has happened in a program, see [Calls].
func (s *Session) Happened() bool {
	for _, path := range RawFiles(s.dir.Path()) {
		if f, err := raw.Open(path); err == nil {
			happened := f.Head.Until > 0
			if f.Close(); happened {
				return true
			}
		}
	}
	return false
}

// Env are the variables with which programs record into the session.
func (s *Session) Env() []string {
	env := []string{raw.FolderVariable + "=" + s.dir.Path(), raw.OptionsVariable + "=" + s.options}
	if s.Kind == Instrumented && s.own == nil {
		return env
	}
	env = append(env,
		service.ProducerVariable+"="+producerSocket(s.dir),
		service.ConsumerVariable+"="+consumerSocket(s.dir),
		shared.LiveDirectory+"="+s.dir.Path())
	if v := s.dir.About.FormatVersion; v != 0 {
		env = append(env, recorder.FormatVariable+"="+strconv.Itoa(v))
	}
	return env
}

// Stop receives what programs have recorded that have ended.
func (s *Session) Stop(ctx context.Context) {
	if s.Kind != Packets {
		s.spool = s.own.stop(ctx)
		return
	}
	s.had, s.failed = s.packets.stop(ctx)
	if s.failed == nil && finishRecorders(s.Listener, s.dir.Path(), s.Output, s.live) {
		s.had.anything = true
	}
}

// Abandon ends a session whose program did not run.
func (s *Session) Abandon(ctx context.Context) {
	if s.packets != nil {
		_, _ = s.packets.stop(ctx) // nothing was recorded
	}
	_, _ = s.raws.end(ctx, "")
}

// Convert converts what is left of raw files, with packets that belong to them, when no more arrives. An error may be
// a [*KeptError].
func (s *Session) Convert(ctx context.Context) (err error) {
	if s.Kind == Packets && s.failed == nil && s.had.anything && s.source.takeRaws(s.dir) {
		// This writes waiting packets to the spool.
		if _, _, s.failed = s.live.end(ctx); errors.Is(s.failed, errOtherSource) || errors.Is(s.failed, perfetto.ErrNoCalls) {
			s.spool, s.failed = s.dir.Spool(), nil
		}
	}
	if s.Kind != Attached {
		s.endRunning()
	}
	if s.made, err = s.raws.end(ctx, s.spool); err != nil {
		s.keep = true
		err = errors.Join(s.failed, s.raws.files.writeError(err))
		return &KeptError{err, "the recording", s.dir.Path()}
	}
	return nil
}

// Complete makes the trace. Errors besides others: [*NothingError], [*KeptError], [*LostPacketsError],
// [*FullError].
func (s *Session) Complete(ctx context.Context) (err error) {
	none := s.made.Raws == nil
	switch {
	case s.Kind == Packets && s.failed != nil:
		err = errors.Join(s.failed, s.salvage(ctx))
		s.keep, err = s.keepBoth(none, err)
		return s.fullError(err)
	case s.Kind == Packets && none && !s.had.anything:
		return &NothingError{Programs: s.had.programs, Sessions: s.had.sessions, Packets: true}
	case !none && s.made.Raws.Events() > 0:
		s.keep, err = s.tell(&s.made, s.spool)
		return err
	case s.spool != "":
		if !none {
			s.Listener.LeftOut(s.made.Raws)
		}
		if err := s.onlyPackets(ctx, s.spool); !errors.Is(err, importer.ErrNoEvents) {
			s.keep = err != nil
			return err
		}
	case s.had.anything:
		s.keep, err = s.makeOfPackets(ctx)
		return err
	}
	return &NothingError{Summary: s.made.Raws}
}

// tell tells what is in a trace of raw files and packets, and keeps what is to be kept.
func (s *Session) tell(made *Trace, packets string) (keep bool, err error) {
	s.tellRecorded(made)
	if made.Lost != nil {
		at := s.dir.keepSpool(s.Output)
		return at == s.dir.Spool(), &LostPacketsError{s.Output, at, made.Lost}
	}
	if err := s.keepRawFiles(packets); err != nil {
		return false, err
	}
	return false, made.damage
}

// CompleteSpool makes the trace of the packets in the spool, which the caller wrote, unless that is nothing at all.
// ended is why it may be incomplete. kept is where the spool is kept, if it is.
func (s *Session) CompleteSpool(ctx context.Context, nothing bool, ended error) (kept string, err error) {
	c := s.conversion()
	c.NotEmpty = true
	made, damage, err := c.Packets(ctx, s.dir.Spool())
	empty := errors.Is(err, importer.ErrNoEvents)
	switch {
	case err == nil:
		ended = errors.Join(ended, s.Listener.Converted(s.Output, made), damage)
	case empty && nothing:
		if ended != nil {
			return "", ended
		}
		return "", err
	case empty:
		ended = errors.Join(ended, errors.New("no trace written: the session has no calls and no track events"))
	default:
		s.keep = true
		return "", &KeptError{errors.Join(ended, err), "the recording", s.dir.Spool()}
	}
	if empty || s.KeepRaws {
		kept = s.dir.keepSpool(s.Output)
		s.keep = kept == s.dir.Spool()
	}
	return kept, ended
}

// Close ends the session, and removes its directory, unless that has the only copy of some data.
func (s *Session) Close() error {
	if s.live != nil {
		s.live.close()
	}
	s.own.close()
	if s.service != nil {
		_ = s.service.Close() // nothing more is wanted from it
	}
	defer os.RemoveAll(s.dir.About.Sockets)
	if s.keep {
		return s.dir.Close()
	}
	if err := s.dir.Remove(); err != nil {
		s.Listener.Remark("cannot clean up", err)
	}
	return nil
}

// fullError returns err as a FullError if it is one.
func (s *Session) fullError(err error) error {
	if s.live.Begun() && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT)) {
		return &FullError{err}
	}
	return err
}

// makeOfPackets completes a trace that was begun with packets. keep means that the directory has the only copy of
// some data.
func (s *Session) makeOfPackets(ctx context.Context) (keep bool, err error) {
	if s.made.Raws == nil { // otherwise they have no calls
		s.live.raws.begin, s.live.raws.files = s.Listener.Begin, RawFiles(s.dir.Path())
	}
	err = s.makeTrace(ctx)
	added := s.live.raws.made
	switch {
	case err != nil:
		keep, err = s.keepBoth(added == nil, err)
		return keep, s.fullError(err)
	case added == nil:
		return s.keepOtherRaws()
	case added.Events() == 0:
		s.Listener.LeftOut(added)
	default:
		err = s.keepRawFiles("")
	}
	return false, err
}

// makeTrace completes the trace of packets, and adds raw files. After an error, what is not in it is in the
// directory.
func (s *Session) makeTrace(ctx context.Context) error {
	result, damage, err := s.live.end(ctx)
	switch {
	case errors.Is(err, perfetto.ErrNoCalls), errors.Is(err, errOtherSource): // which had no calls
		made, damage, err := s.conversion().Packets(ctx, s.dir.Spool())
		if err != nil {
			return err
		}
		return errors.Join(s.Listener.Converted(s.Output, made), damage)
	case err == nil && s.live.raws.added():
		s.tellRecorded(&Trace{Path: s.Output, Raws: s.live.raws.made, Packets: result})
		return damage
	case err == nil:
		return errors.Join(s.Listener.Converted(s.Output, result), damage)
	}
	return s.live.files.writeError(errors.Join(err, s.salvage(ctx)))
}

// salvage ends a trace that could not grow, if it was begun.
func (s *Session) salvage(ctx context.Context) error {
	if !s.live.Begun() {
		return nil
	}
	result, err := s.live.salvage(ctx, s.dir)
	if err == nil {
		err = s.Listener.Converted(s.Output, result)
	}
	return err
}

// keepBoth keeps what is not in the trace because of an error, with the raw files if raws is set.
func (s *Session) keepBoth(raws bool, err error) (keep bool, _ error) {
	if raws {
		var fault error
		keep, fault = s.keepOtherRaws()
		err = errors.Join(err, fault)
	}
	kept := &KeptError{err, "the recording", s.dir.keepSpool(s.Output)}
	if s.live.Begun() {
		kept.What = "the part that is not in " + s.Output
	}
	return keep || kept.At == s.dir.Spool(), kept
}

// KeepRawFiles moves what programs wrote out of the directory, with KeepRaws, if there is no trace.
func (s *Session) KeepRawFiles() error { return s.keepRawFiles(s.spool) }

package cli

import (
	"errors"
	"fmt"

	"tracex/recorder/convert/instrumented"
	"tracex/recorder/recording"
)

// recordError adds to an error of a session what to do.
func recordError(err error) error {
	switch e := err.(type) {
	case *recording.KeptError:
		return withHint(e.Err, e.What+" is kept in "+e.At+"; tracex convert makes a trace from it")
	case *recording.LostPacketsError:
		return withHint(err, "tracex convert -o OTHER "+e.At+" makes a trace of its own")
	case *recording.TakenError:
		switch e.By {
		case recording.ByFile:
			return &usageError{e.Error(), "--force replaces it; -o names another file"}
		case recording.ByForeign:
			return &usageError{e.Error(), "--force replaces " + e.Output + "; -o names another file"}
		case recording.ByUnfinished:
			return &usageError{e.Error(), "--force discards it; -o names another file"}
		}
		return withHint(e.Err, "-o names another file")
	}
	return err
}

// nothingReceived is the error for a session that received nothing.
func nothingReceived(e *recording.NothingError, program string) error {
	const needs = "a program needs to be built by tracex build, or by go with record --go; or tracex's recorder and the import _ \"tracex/recorder/shared\", or Perfetto's client library"
	switch {
	case e.Programs == 0:
		return withHint(fmt.Errorf("no trace written: %s ran no instrumented program, and did not connect to the tracing service", program), needs+", and must run long enough to connect")
	case e.Sessions == 0:
		return withHint(fmt.Errorf("no trace written: %s connected, but offered nothing to record", program), needs)
	}
	return withHint(fmt.Errorf("no trace written: %s connected, but recorded nothing", program),
		"it made no recorded call, or ended before it sent one; is --category too narrow?")
}

// nothingRecorded is the error for raw files without events.
func (a *app) nothingRecorded(s *instrumented.Summary) error {
	newTeller(a, nil).Problems(s)
	if err := lostEverything(s); err != nil {
		return err
	}
	return withHint(errors.New("no trace written: no recorded function was called"), "TRACEX_RECORD_OPTIONS, or --only and --skip, may have left out too many functions")
}

// lostEverything is the error for programs of which one could not record, or whose raw file
// is damaged; nil if there is none. s may be nil.
func lostEverything(s *instrumented.Summary) error {
	if s == nil {
		return nil
	}
	for _, p := range s.Processes {
		if why := lostReason(p); why != "" {
			return fmt.Errorf("no trace written: %s: %s", programOf(p), why)
		}
	}
	for _, p := range s.Processes {
		if p.Damaged > 0 {
			return fmt.Errorf("no trace written: no calls can be read in %s", p.Path)
		}
	}
	return nil
}

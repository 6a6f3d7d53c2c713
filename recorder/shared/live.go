package shared

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/sink"
)

// LiveDirectory is the environment variable that names a directory for the live files of recorders
// that connect to a service. If the program ends without Stop, they have what is not in the
// shared memory yet, and [Finish] makes packets of it. tracex record sets the variable.
const LiveDirectory = "TRACEX_LIVE_FOLDER"

// startLive creates the live file, if the environment asks for it.
func (s *callSink) startLive() {
	r := s.r
	dir := os.Getenv(LiveDirectory)
	if dir == "" || s.options.NoLive {
		return
	}
	path := filepath.Join(dir, fmt.Sprintf("%d-%016x%s", os.Getpid(), s.id, format.LiveSuffix))
	l, err := live.Create(path, s.options.LiveLimit)
	if err == nil {
		err = r.KeepIn(l)
	}
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			r.Warn(fmt.Errorf("recorder: what is not sent yet is lost if the program crashes: %w", err))
		}
		return
	}
	l.Word(live.AtRecorder).Store(s.id)
	if !s.options.NoTimes {
		l.Word(live.AtOffset).Store(uint64(s.bootOffset()))
	}
	s.live = l
	l.Word(live.AtState).Store(live.StateRecording)
}

func (s *callSink) endLive() {
	if l := s.live; l != nil {
		s.unsent.end()
		if s.unsent.gone.Load() {
			_ = l.Leave() // it is finished as if the program had been killed
			return
		}
		l.Word(live.AtState).Store(live.StateOver)
		_ = l.Remove() // if it cannot be removed, its state is StateOver
	}
}

// sending notes that a part is being sent, after which so many marks of its chunk are sent. The
// thread's lock is held.
func (st *callThread) sending(t sink.Thread, p buffers.Part, marks int) {
	slot := t.Slot
	if slot == nil {
		return
	}
	if p.Chunk == nil {
		slot.Word(live.SharedEnd).Store(0)
	} else {
		slot.Word(live.SharedEnd).Store(buffers.Pack(p.First+len(p.Data), marks))
		slot.Word(live.ThreadPut).Store(p.Chunk.Number)
	}
	slot.Word(live.SharedSending).Store(st.count + 1)
}

func (st *callThread) sentAll(t sink.Thread, p buffers.Part, marks int) {
	st.count++
	slot := t.Slot
	if slot == nil {
		return
	}
	slot.Word(live.SharedNumber).Store(st.count)
	if p.Chunk != nil {
		p.Chunk.KeepSent(p.First+len(p.Data), marks)
	}
	slot.Word(live.SharedSending).Store(0)
}

// notSent notes that the part is not sent after all: it makes no sense.
func (st *callThread) notSent(t sink.Thread) {
	if t.Slot != nil {
		t.Slot.Word(live.SharedSending).Store(0)
	}
}

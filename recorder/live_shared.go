package recorder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
)

// LiveFolder is the environment variable that names a folder for the live files of
// recorders that speak to a service. What is not in the shared memory yet when the
// program ends without a word is there, and [FinishShared] makes packets of it.
// tracex record sets it.
const LiveFolder = "TRACEX_LIVE_FOLDER"

// startLive makes the live file, where somebody wants it.
func (s *shared) startLive() {
	r := s.r
	folder := os.Getenv(LiveFolder)
	if folder == "" || r.config.NoLive {
		return
	}
	path := filepath.Join(folder, fmt.Sprintf("%d-%016x%s", os.Getpid(), s.id, LiveSuffix))
	l, err := live.Create(path, r.config.liveLimit())
	if err == nil {
		err = r.describeLive(l)
	}
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			r.warn(fmt.Errorf("recorder: what is not sent yet is lost if the program crashes: %w", err))
		}
		return
	}
	l.Word(live.AtRecorder).Store(s.id)
	r.live = l
	l.Word(live.AtState).Store(live.StateRecording)
}

func (s *shared) endLive() {
	if l := s.r.live; l != nil {
		l.Word(live.AtState).Store(live.StateOver)
		_ = l.Remove() // one that cannot be removed says that it is over
	}
}

// sending notes that a part is being sent, behind which so many marks of its chunk
// are sent. The thread's lock is held.
func (st *sharedThread) sending(t *Thread, p buffers.Part, marks int) {
	slot := t.file.live.slot
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

// sentAll notes that the part was sent.
func (st *sharedThread) sentAll(t *Thread, p buffers.Part, marks int) {
	st.count++
	slot := t.file.live.slot
	if slot == nil {
		return
	}
	slot.Word(live.SharedNumber).Store(st.count)
	if p.Chunk != nil {
		p.Chunk.KeepSent(p.First+len(p.Data), marks)
	}
	slot.Word(live.SharedSending).Store(0)
}

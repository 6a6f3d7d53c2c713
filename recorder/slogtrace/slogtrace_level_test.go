package slogtrace_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"tracex/recorder"
	"tracex/recorder/slogtrace"
)

// Log lines below the level are not recorded, and not even made unless another handler wants
// them.
func TestLevel(t *testing.T) {
	r, err := recorder.Start(recorder.Config{Path: filepath.Join(t.TempDir(), "trace.bin")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Stop()
	ctx := recorder.NewContext(context.Background(), r.Thread("main"))
	h, debug := slogtrace.NewHandler(r, nil, nil), slogtrace.NewHandler(r, nil, &slogtrace.Options{Level: slog.LevelDebug})
	for _, x := range []struct {
		ctx   context.Context
		h     slog.Handler
		level slog.Level
		want  bool
	}{
		{ctx, h, slog.LevelDebug, false}, {ctx, h, slog.LevelInfo, true},
		{ctx, debug, slog.LevelDebug, true}, {ctx, debug, slog.LevelDebug - 1, false},
		{context.Background(), h, slog.LevelError, false},
	} {
		if got := x.h.Enabled(x.ctx, x.level); got != x.want {
			t.Errorf("%v: %v, want %v", x.level, got, x.want)
		}
	}
}

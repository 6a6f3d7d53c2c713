package trace

import (
	"context"
	"testing"
)

// TestIdle: what runs gently waits while passes run, and stops with its context.
func TestIdle(t *testing.T) {
	var p passes
	p.Begin()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		p.Idle(ctx)
		close(done)
	}()
	select {
	case <-done:
		t.Error("idle while a pass runs")
	default:
	}
	p.End()
	<-done
	p.Begin()
	cancel()
	p.Idle(ctx)
}

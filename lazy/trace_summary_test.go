package lazy

import (
	"context"
	"testing"
)

// TestIdle: what runs gently waits while passes run, and stops with its context.
func TestIdle(t *testing.T) {
	var p passes
	p.begin()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		p.idle(ctx)
		close(done)
	}()
	select {
	case <-done:
		t.Error("idle while a pass runs")
	default:
	}
	p.end()
	<-done
	p.begin()
	cancel()
	p.idle(ctx)
}

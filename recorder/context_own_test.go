package recorder_test

import (
	"context"
	"sync"
	"testing"

	"tracex/recorder"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/recordertest"
)

// A thread belongs to a goroutine, whatever context the goroutine's children get.
func TestContext(t *testing.T) { versiontest.EachVersion(t, testContext) }

func testContext(t *testing.T) {
	text := recordertest.Text(t, recorder.Config{}, func(r *recorder.Recorder) {
		th := r.Thread("main")
		m := r.Method(r.Class("shop"), "Run", recorder.Type{})
		ctx := recorder.NewContext(context.Background(), th)
		if recorder.FromContext(ctx) != th || recorder.Own(ctx) != th {
			t.Error("the context has not the thread it was given")
		}
		if recorder.FromContext(context.Background()) != nil || recorder.Own(context.Background()) != nil {
			t.Error("a context without a thread has one")
		}
		th.Enter(m, 0, recorder.Null())
		done := make(chan struct{})
		r.Go(ctx, "child", func(ctx context.Context) {
			defer close(done)
			own := recorder.Own(ctx)
			if own == th || own == nil || own != recorder.FromContext(ctx) {
				t.Error("the child has not a thread of its own")
			}
			own.Enter(m, 0, recorder.Null())
			own.Exit(recorder.Void())
		})
		<-done
		var group sync.WaitGroup
		group.Go(func() {
			if recorder.Own(ctx) != nil {
				t.Error("a goroutine owns the thread of another")
			}
		})
		group.Wait()
		th.Exit(recorder.Void())
	})
	recordertest.SameText(t, text, `# Thread 1 (main)
shop.Run()
# Thread 2 (child)
shop.Run()
`)
}

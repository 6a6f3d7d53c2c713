package export

import (
	"context"
	"strconv"

	"tracex/lazy"
	"tracex/lazy/query"
)

// stacks is the part of a target that adds up calls by their stacks.
type stacks struct{ *query.Stacks }

func (stacks) ownScope() {}

// ownScope is a target that applies the scope of its job itself.
type ownScope interface{ ownScope() }

// runAll is [Job.Run] for a collector that sees what the steps hide, and applies the scope itself, as
// those of package query do. It does not apply Options.Depth.
func (j *Job) runAll(ctx context.Context, c lazy.Collector, tell lazy.Progress) error {
	j.tally.reset()
	pass := j.Scope.Over(c)
	pass.Progress, pass.Share = tell, j.share
	return j.R.Pass(ctx, pass)
}

// threadTitle returns the name of a thread, or its number if it has none.
func (j *Job) threadTitle(thread int32) string {
	if name := j.ThreadName(thread); name != "" {
		return name
	}
	return "Thread " + strconv.FormatInt(int64(thread)+1, 10)
}

package trace

import (
	"errors"
	"testing"
)

// TestRequests: requests are taken in the order in which they were sent; one doubt per epoch
// is enough, and one look serves all requests to catch up.
func TestRequests(t *testing.T) {
	q := requests{wake: make(chan struct{}, 1)}
	first, second := make(chan struct{}), make(chan struct{})
	why := errors.New("why")
	for _, o := range []request{
		{kind: requestFollow}, {kind: requestCatchUp, done: first}, {kind: requestDistrust, why: why, epoch: 1}, {kind: requestUnfollow},
		{kind: requestDistrust, why: errors.New("another"), epoch: 1}, {kind: requestDistrust, epoch: 2}, {kind: requestCatchUp, done: second}, {kind: requestFollow},
	} {
		q.send(o)
	}
	select {
	case <-q.wake:
	default:
		t.Error("the worker is not woken")
	}
	if list := q.takeCatchUps(); len(list) != 2 || list[0].done != first || list[1].done != second {
		t.Errorf("catching up: %+v", list)
	} else {
		answer(list)
		<-first
		<-second
	}
	for _, want := range []request{{kind: requestFollow}, {kind: requestDistrust, why: why, epoch: 1}, {kind: requestUnfollow}, {kind: requestDistrust, epoch: 2}, {kind: requestFollow}} {
		if o, ok := q.take(); !ok || o != want {
			t.Errorf("took %+v, %v, want %+v", o, ok, want)
		}
	}
	if o, ok := q.take(); ok {
		t.Errorf("took %+v of none", o)
	}
}

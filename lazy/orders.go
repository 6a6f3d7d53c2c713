package lazy

import (
	"slices"
	"sync"
)

// order is what a worker is asked to do.
type order struct {
	kind  orderKind
	done  chan struct{} // of orderCatchUp: closed when it is done
	why   error         // of orderDistrust
	epoch int64         // of orderDistrust: in which it was noticed; of an index that is gone, it says nothing
}

type orderKind int

const (
	orderTick     orderKind = iota // time for another look; it is not sent
	orderCatchUp                   // know all that is in the file now
	orderFollow                    // follow the trace again
	orderUnfollow                  // no longer follow it
	orderDistrust                  // the index contradicts the data
	orderKinds
)

// orders is a channel of orders of which a sender never waits: the worker may read
// the trace for seconds, and a sender may hold locks.
type orders struct {
	mu   sync.Mutex
	list []order
	wake chan struct{} // holds at most one: there are orders
}

// send adds an order, unless an equal one is there.
func (q *orders) send(o order) {
	q.mu.Lock()
	equal := func(p order) bool { return p.kind == orderDistrust && p.epoch == o.epoch }
	if o.kind != orderDistrust || !slices.ContainsFunc(q.list, equal) {
		q.list = append(q.list, o)
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take takes the first order; ok is false when there is none.
func (q *orders) take() (o order, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return o, false
	}
	o = q.list[0]
	q.list = q.list[1:]
	return o, true
}

// takeCatchUps takes all orders of that kind: one look does them all.
func (q *orders) takeCatchUps() (list []order) {
	q.mu.Lock()
	defer q.mu.Unlock()
	others := q.list[:0:0]
	for _, o := range q.list {
		if o.kind == orderCatchUp {
			list = append(list, o)
		} else {
			others = append(others, o)
		}
	}
	q.list = others
	return list
}

// answer tells those that sent orders of orderCatchUp.
func answer(list []order) {
	for _, o := range list {
		if o.kind == orderCatchUp {
			close(o.done)
		}
	}
}

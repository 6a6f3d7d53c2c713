package lazy

import (
	"slices"
	"sync"
)

// order is a request to a worker.
type order struct {
	kind  orderKind
	done  chan struct{} // of orderCatchUp: closed when done
	why   error         // of orderDistrust
	epoch int64         // of orderDistrust: the epoch of the doubt; ignored if the index was replaced since
}

type orderKind int

const (
	orderTick     orderKind = iota // time for the next poll; never sent
	orderCatchUp                   // read everything that is in the file now
	orderFollow                    // follow the trace again
	orderUnfollow                  // stop following it
	orderDistrust                  // the index contradicts the data
	orderKinds
)

// orders is a queue whose senders never wait: the worker may read the trace for
// seconds, and a sender may hold locks.
type orders struct {
	mu   sync.Mutex
	list []order
	wake chan struct{} // holds at most one: the list has orders
}

// send adds an order, unless it repeats a doubt.
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

// take removes the first order; ok is false if there is none.
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

// takeCatchUps removes all orders of that kind: one poll serves them all.
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

// answer tells the senders of orderCatchUp that it is done.
func answer(list []order) {
	for _, o := range list {
		if o.kind == orderCatchUp {
			close(o.done)
		}
	}
}

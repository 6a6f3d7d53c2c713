package lazy

import (
	"slices"
	"sync"
)

// request is what a worker is asked to do.
type request struct {
	kind  requestKind
	done  chan struct{} // of requestCatchUp: closed when done
	why   error         // of requestDistrust
	epoch int64         // of requestDistrust: the epoch of the doubt; ignored if the index was replaced since
}

type requestKind int

const (
	requestTick     requestKind = iota // time for the next poll; never sent
	requestCatchUp                     // read everything that is in the file now
	requestFollow                      // follow the trace again
	requestUnfollow                    // stop following it
	requestDistrust                    // the index contradicts the data
	requestKinds
)

// requests is a queue whose senders never wait: the worker may read the trace for
// seconds, and a sender may hold locks.
type requests struct {
	mu   sync.Mutex
	list []request
	wake chan struct{} // holds at most one: the list has requests
}

// send adds a request, unless it repeats a doubt.
func (q *requests) send(o request) {
	q.mu.Lock()
	equal := func(p request) bool { return p.kind == requestDistrust && p.epoch == o.epoch }
	if o.kind != requestDistrust || !slices.ContainsFunc(q.list, equal) {
		q.list = append(q.list, o)
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take removes the first request; ok is false if there is none.
func (q *requests) take() (o request, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return o, false
	}
	o = q.list[0]
	q.list = q.list[1:]
	return o, true
}

// takeCatchUps removes all requests of that kind: one poll serves them all.
func (q *requests) takeCatchUps() (list []request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	others := q.list[:0:0]
	for _, o := range q.list {
		if o.kind == requestCatchUp {
			list = append(list, o)
		} else {
			others = append(others, o)
		}
	}
	q.list = others
	return list
}

// answer tells the senders of requestCatchUp that it is done.
func answer(list []request) {
	for _, o := range list {
		if o.kind == requestCatchUp {
			close(o.done)
		}
	}
}

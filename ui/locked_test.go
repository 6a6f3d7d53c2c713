package ui

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// locksOf returns all locks in the fields of values, at any depth, each once. A facade, whose only field is what it
// forwards to, has the locks of that.
func locksOf(values ...any) []sync.Locker {
	var all, locks []sync.Locker
	for _, v := range values {
		all = appendLocks(all, reflect.ValueOf(v).Elem())
	}
	for _, l := range all {
		if !slices.Contains(locks, l) {
			locks = append(locks, l)
		}
	}
	return locks
}

func appendLocks(locks []sync.Locker, of reflect.Value) []sync.Locker {
	for i := range of.NumField() {
		f := of.Field(i)
		at := unsafe.Pointer(f.UnsafeAddr())
		switch {
		case f.Type() == reflect.TypeFor[sync.Mutex]():
			locks = append(locks, (*sync.Mutex)(at))
		case f.Type() == reflect.TypeFor[sync.RWMutex]():
			locks = append(locks, (*sync.RWMutex)(at))
		case f.Kind() == reflect.Struct:
			locks = appendLocks(locks, f)
		case f.Kind() == reflect.Pointer && (of.Type().Field(i).Anonymous || of.NumField() == 1) && !f.IsNil():
			locks = appendLocks(locks, f.Elem())
		}
	}
	return locks
}

// holdAll takes all locks, however others order theirs, and returns a function that releases them.
func holdAll(locks []sync.Locker) (release func()) {
	for {
		held := 0
		for held < len(locks) && locks[held].(interface{ TryLock() bool }).TryLock() {
			held++
		}
		release := func() {
			for _, l := range locks[:held] {
				l.Unlock()
			}
		}
		if held == len(locks) {
			return release
		}
		release() // the holder of the next lock may wait for one of these
		runtime.Gosched()
	}
}

// locked calls f while all locks of the tree and of the reader are held, and reports whether f
// returns. If f does not, it waits as long as the slowest machine may take.
func (d *driver) locked(f func()) bool {
	release := holdAll(locksOf(d.m.tree.Out.Tree, d.m.env.Trace.Reader))
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		release()
		return true
	case <-time.After(lockedFor):
		release()
		<-done
		return false
	}
}

// lockedFor is how long locked waits for a function that waits for a lock.
var lockedFor = 20 * time.Second

// view draws the screen. Drawing must not wait for the trace.
func (d *driver) view() (content string) {
	d.t.Helper()
	if !d.locked(func() { content = d.m.View().Content }) {
		d.t.Fatal("the screen waits for a lock of the tree or the reader")
	}
	return content
}

// TestLockedNoticesWaiting: code that uses the tree, the reader or a mapped file waits while
// their locks are held.
func TestLockedNoticesWaiting(t *testing.T) {
	was := lockedFor
	defer func() { lockedFor = was }()
	lockedFor = 10 * time.Millisecond
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 100, Timed: true})
	d := drive(t, uitest.Open(t, path, lazy.Options{}), 80, 24, Options{})
	n := d.m.tree.Out.Cursor.Node
	for name, ask := range map[string]func(){
		"Tree.ThreadCount":            func() { d.m.tree.Out.Tree.ThreadCount() },
		"Tree.AppendText":             func() { d.m.tree.Out.Tree.AppendText(nil, n, false) },
		"LazyTraceReader.Size":        func() { d.m.env.Trace.Reader.Size() },
		"LazyTraceReader.Status":      func() { d.m.env.Trace.Reader.Status() },
		"LazyTraceReader.WithContext": func() { d.m.env.Trace.Reader.Version() },
		"Node.Time":                   func() { n.Time() },
		"Node.Count":                  func() { n.Count() },
	} {
		if d.locked(ask) {
			t.Errorf("%s does not wait", name)
		}
	}
	lockedFor = was
	if !d.locked(func() {}) {
		t.Error("what asks nothing waits")
	}
}

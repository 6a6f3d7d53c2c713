package values

import (
	"io/fs"
	"reflect"
	"sync"
	"testing"
)

// Types are numbered once, also when used concurrently.
func TestTypeNumbers(t *testing.T) {
	var n typeNumbers
	types := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[Value](), reflect.TypeFor[fs.PathError](), reflect.TypeFor[error]()}
	var found [8][4]int32
	var group sync.WaitGroup
	for g := range found {
		group.Go(func() {
			for i, typ := range types {
				found[g][i] = n.number(typ)
			}
		})
	}
	group.Wait()
	for g := range found {
		if found[g] != found[0] {
			t.Errorf("one goroutine got %v, another %v", found[0], found[g])
		}
	}
	for i, typ := range types {
		if got := n.of(found[0][i]); got != typ {
			t.Errorf("number %d is %v, want %v", found[0][i], got, typ)
		}
	}
}

// Package spill keeps stacks that may be too large for memory. A stack only changes at its top, so what is far below
// that is moved to a temporary file, and back when the stack has shrunk to it.
package spill

import (
	"fmt"
	"iter"
	"os"
	"reflect"
	"unsafe"
)

// chunkBytes is how much a stack moves to the file, or back, at a time. Up to twice as much is in memory.
var chunkBytes = 1 << 20

// pageBytes is how much is read for one element that is far below the top.
const pageBytes = 4 << 10

// SetChunk makes new stacks move so many bytes at a time, for tests, until undo is called. It must not be
// called while other goroutines use stacks.
func SetChunk(bytes int) (undo func()) {
	was := chunkBytes
	chunkBytes = bytes
	return func() { chunkBytes = was }
}

// Stack is a stack of elements without pointers. The zero value is an empty one. One goroutine uses it at a time.
//
// If the file cannot be written, what would be in it stays in memory. If it cannot be read, zero values take the place
// of what it has, and Err tells why.
type Stack[T any] struct {
	top   []T // never empty while low is not zero
	low   int // how many are below top, a multiple of chunk
	chunk int
	kept  map[int][]T // by number of the chunk: those that could not be written
	file  *os.File
	name  string // of the file, to be removed in the end; "" if it has been
	page  []T    // what At read last; nil if nothing
	at    int    // number of the first of page
	paged int    // how many a page has; chunk is a multiple
	err   error
}

// Len returns the number of elements.
func (s *Stack[T]) Len() int { return s.low + len(s.top) }

// Last returns the element on top. It is valid until the stack changes.
func (s *Stack[T]) Last() *T { return &s.top[len(s.top)-1] }

// Push puts an element on top.
func (s *Stack[T]) Push(v T) {
	if len(s.top) == cap(s.top) {
		s.room()
	}
	s.top = append(s.top, v)
}

// Pop removes the element on top.
func (s *Stack[T]) Pop() {
	s.top = s.top[:len(s.top)-1]
	if len(s.top) == 0 && s.low > 0 {
		s.load()
	}
}

// At returns an element by its number, from the bottom. It is valid until the stack changes, and must not be changed.
func (s *Stack[T]) At(i int) *T {
	if i >= s.low {
		return &s.top[i-s.low]
	}
	if s.page == nil || i < s.at || i >= s.at+s.paged {
		s.at = i - i%s.paged
		s.page = make([]T, s.paged) // the one before may still be in use
		s.read(s.page, s.at)
	}
	return &s.page[i-s.at]
}

// Put replaces an element.
func (s *Stack[T]) Put(i int, v T) {
	*s.At(i) = v
	if i >= s.low {
		return
	}
	if list, ok := s.kept[i-i%s.chunk]; ok {
		list[i%s.chunk] = v
	} else if _, err := s.file.WriteAt(bytesOf([]T{v}), s.offset(i)); err != nil {
		s.failed("writing", err)
	}
}

// Truncate removes all elements but the first n.
func (s *Stack[T]) Truncate(n int) {
	if n == 0 {
		s.Reset()
		return
	}
	for n < s.low {
		s.load()
	}
	s.top = s.top[:n-s.low]
	if len(s.top) == 0 && s.low > 0 {
		s.load()
	}
}

// Reset removes all elements, and the file.
func (s *Stack[T]) Reset() {
	s.top, s.low, s.kept, s.page, s.err = s.top[:0], 0, nil, nil, nil
	if s.file != nil {
		s.file.Close()
		if s.name != "" {
			os.Remove(s.name)
		}
		s.file = nil
	}
}

// All yields all elements with their numbers, from the bottom. It is quicker than At. An element is valid until the next.
func (s *Stack[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		var list []T
		for at := 0; at < s.low; at += s.chunk {
			if list == nil {
				list = make([]T, s.chunk)
			}
			s.read(list, at)
			for i := range list {
				if !yield(at+i, &list[i]) {
					return
				}
			}
		}
		for i := range s.top {
			if !yield(s.low+i, &s.top[i]) {
				return
			}
		}
	}
}

// Clone returns a copy.
func (s *Stack[T]) Clone() (c Stack[T]) {
	for _, v := range s.All() {
		c.Push(*v)
	}
	c.err = s.err
	return c
}

// Err returns why elements were lost; nil if none were.
func (s *Stack[T]) Err() error { return s.err }

// room makes room for an element on top.
func (s *Stack[T]) room() {
	if s.chunk == 0 {
		size := int(unsafe.Sizeof(*new(T)))
		s.chunk = max(1, chunkBytes/size)
		s.paged = min(s.chunk, max(1, pageBytes/size))
		s.chunk -= s.chunk % s.paged
	}
	if n := cap(s.top); n < 2*s.chunk {
		s.top = append(make([]T, 0, min(max(2*n, 16), 2*s.chunk)), s.top...)
		return
	}
	lower := s.top[:s.chunk]
	if err := s.write(lower); err != nil {
		if s.kept == nil {
			s.kept = make(map[int][]T)
		}
		s.kept[s.low] = append([]T(nil), lower...)
	}
	s.page = nil
	s.low += s.chunk
	s.top = s.top[:copy(s.top, s.top[s.chunk:])]
}

// load moves the last chunk of those below top to it, in place of what it has.
func (s *Stack[T]) load() {
	s.low -= s.chunk
	s.top = s.top[:s.chunk]
	s.read(s.top, s.low)
	delete(s.kept, s.low)
	s.page = nil
}

// write writes the chunk that is next.
func (s *Stack[T]) write(chunk []T) (err error) {
	if s.file == nil {
		if t := reflect.TypeFor[T](); pointers(t) {
			panic(fmt.Sprintf("spill: a stack of %v, which has pointers", t))
		}
		if s.file, s.name, err = TempFile("tracex-*.stack"); err != nil {
			return err
		}
	}
	b := bytesOf(chunk)
	_, err = s.file.WriteAt(b, s.offset(s.low))
	return err
}

// read reads elements of a chunk, from a number on.
func (s *Stack[T]) read(into []T, at int) {
	if list, ok := s.kept[at-at%s.chunk]; ok {
		copy(into, list[at%s.chunk:])
		return
	}
	b := bytesOf(into)
	if _, err := s.file.ReadAt(b, s.offset(at)); err != nil {
		clear(into)
		s.failed("reading", err)
	}
}

// failed keeps the first error.
func (s *Stack[T]) failed(doing string, err error) {
	if s.err == nil {
		s.err = fmt.Errorf("%s a temporary file of calls that are open: %w", doing, err)
	}
}

func (s *Stack[T]) offset(at int) int64 { return int64(at) * int64(unsafe.Sizeof(*new(T))) }

// bytesOf returns the memory of elements.
func bytesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}

// pointers reports whether values of a type may have pointers.
func pointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return pointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if pointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() < reflect.Bool || t.Kind() > reflect.Complex128 || t.Kind() == reflect.Uintptr
}

// TempFile makes a temporary file that is gone with the program, however that ends, where the system can do that.
// Elsewhere it has a name, to be removed in the end.
func TempFile(pattern string) (f *os.File, name string, err error) {
	if f, err = os.CreateTemp("", pattern); err != nil {
		return nil, "", err
	}
	if os.Remove(f.Name()) != nil {
		name = f.Name()
	}
	return f, name, nil
}

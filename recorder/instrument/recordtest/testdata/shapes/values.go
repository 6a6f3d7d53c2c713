package main

import (
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type Large struct{ n [200]int }

type Point struct{ x, y int }

type Node struct {
	next *Node
	name string
}

type Locked struct {
	mutex sync.Mutex
	node  *Node
	inner Point
}

func large(l Large) int             { return l.n[199] }
func array(a [16384]byte) int       { return len(a) }
func huge(a [131072]byte) [2]string { return [2]string{"a", "b"} }
func returnsLarge() Large           { return Large{} }

func integers(a int8, b int16, c int32, d int64, e int) (uint8, uint16, uint32, uint64, uint, uintptr) {
	return math.MaxUint8, math.MaxUint16, math.MaxUint32, math.MaxUint64, math.MaxUint, 1
}

func others(b bool, f float32, g float64, c complex64, d complex128, r rune, y byte) {}

func references(p *int, u unsafe.Pointer, c chan int, in <-chan int, m map[string]int, f func(), s []string, b []byte, i any, e error) {
}

func composites(a [3]int, s struct {
	A int
	b string
}, p Point, d time.Duration, at time.Time, l [2]Point, z struct{}) {
}

func interfaces(a, b, c, d, e any) {}

func cyclic(p *Node, byValue Node) *Node { return p.next }

//lint:ignore copylocks it is what is tried
func locked(l Locked) {}

func strings1(empty, long, invalid, control, unicode string) string { return long[:3] }

func argument(s string) int { return len(s) }

func errorsOf(a, b, c error) error { return b }

func nils(p *os.PathError, e error, a any, t texter) (error, any, error) {
	return p, (map[string]int)(nil), nil
}

type texter interface{ Error() string }

func nilPointer() error { return (*os.PathError)(nil) }

var (
	heapNode = newNode()
	one      = new(int)
)

func newNode() *Node {
	n := &Node{name: "cycle"}
	n.next = n
	return n
}

func kinds() []any {
	n := large(Large{}) + array([16384]byte{}) + len(huge([131072]byte{}))
	returnsLarge()
	integers(math.MinInt8, math.MinInt16, math.MinInt32, math.MinInt64, math.MinInt)
	integers(0, 1, 2, 3, 4)
	others(true, 1.5, math.Inf(1), 1+2i, complex(math.NaN(), -0.5), 'ä', 255)
	references(nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
	references(one, unsafe.Pointer(one), make(chan int), make(chan int), map[string]int{"a": 1}, nothing, []string{"a"}, []byte("b"), 1.5, errors.New("e"))
	composites([3]int{1, 2, 3}, struct {
		A int
		b string
	}{1, "b"}, Point{1, 2}, 1500*time.Millisecond, time.Unix(1e9, 5), [2]Point{}, struct{}{})
	interfaces(int8(1), "text", Point{3, 4}, heapNode, nil)
	cyclic(heapNode, *heapNode)
	var l Locked
	locked(l)
	errorsOf(nil, &os.PathError{Op: "open", Path: "none", Err: syscall.ENOENT}, syscall.EINVAL)
	nils(nil, (*os.PathError)(nil), []int(nil), (*os.PathError)(nil))
	nils(nil, nil, nil, nil)
	nilPointer()
	return []any{n}
}

func texts() []any {
	strings1("", strings.Repeat("long ", 100), "a\xff\xfe", "tab\tnew\nline\x00\x1b[31m", "日本語 ü")
	argument(os.Args[0][:0])
	argument(os.Args[1])
	mapped := unmapped()
	argument(mapped) // reading it would be a fault
	return []any{len(mapped)}
}

// unmapped returns a string that was in memory that has been given back.
func unmapped() string {
	b, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return "12345678"
	}
	s := unsafe.String(&b[0], 8)
	if err := syscall.Munmap(b); err != nil {
		return "12345678"
	}
	return s
}

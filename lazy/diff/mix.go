package diff

import (
	"encoding/binary"
	"math/bits"
)

// hashText returns the hash of a text.
func hashText(s string) uint64 { return hashBytes([]byte(s)) }

// wordBytes are hashed at once.
const wordBytes = 8

// hashBytes returns the hash of a text in modified UTF-8, which is that of its characters if they are ASCII but 0. It is the same in each
// run, as the order of equally good partners depends on it.
func hashBytes(b []byte) uint64 {
	h := uint64(len(b))
	for ; len(b) >= wordBytes; b = b[wordBytes:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	word := uint64(0)
	for i, c := range b {
		word |= uint64(c) << (8 * i)
	}
	return scatter(mix(h, word))
}

// mix adds a number to a hash. Equal hashes of unequal lists of numbers are as rare as chance makes them.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x, 0x9e3779b97f4a7c15)
	return bits.RotateLeft64(hi^lo, 23) + 0x2545f4914f6cdd1d
}

// scatter ends a hash: each bit of x changes half of the bits.
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// The hash of a list of children is a polynomial: of h1, h2, h3 it is h1·P² + h2·P + h3, modulo the prime 2⁶¹-1. So the
// hash of a list follows from those of its parts, which goroutines make apart.
const (
	prime     = 1<<61 - 1
	primeBits = 61
	point     = 0x0b4d8e3f9a1c2657 // P
)

// reduce returns x modulo the prime.
func reduce(x uint64) uint64 {
	if x = x&prime + x>>primeBits; x >= prime {
		x -= prime
	}
	return x
}

// times returns a·b modulo the prime, of two numbers below it.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce(lo&prime + (hi<<(64-primeBits) | lo>>primeBits))
}

// power returns Pⁿ modulo the prime.
func power(n uint64) uint64 {
	r := uint64(1)
	for p := uint64(point); n > 0; n >>= 1 {
		if n&1 == 1 {
			r = times(r, p)
		}
		p = times(p, p)
	}
	return r
}

// sum is the hash of consecutive children, with everything in them.
type sum struct {
	v, s  uint64 // polynomials over whole.v and whole.s of each
	n     uint64 // how many
	calls uint64 // in them
}

// whole is a point with everything in it. Only the upper half of s is kept of a container.
type whole struct{ v, s, calls uint64 }

// add adds a child after those that there are.
func (a *sum) add(w whole) {
	a.v = reduce(times(a.v, point) + reduce(w.v))
	a.s = reduce(times(a.s, point) + reduce(w.s))
	a.calls += w.calls
	a.n++
}

// join adds those of b after those that there are.
func (a *sum) join(b *sum) {
	if b.n > 0 {
		p := power(b.n)
		a.v = reduce(times(a.v, p) + b.v)
		a.s = reduce(times(a.s, p) + b.s)
		a.n += b.n
	}
	a.calls += b.calls
}

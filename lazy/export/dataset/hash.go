package dataset

import "math/bits"

// Hashes of methods, paths and shapes. They are in files: the same in each run, on each machine, and in each
// version with the same schema. All arithmetic wraps at 2^64, unless it says otherwise.
//
//	method   FNV-1a of "CLASS\0NAME\0PARAMETERS", then mixed
//	path     mix(path of the call around · pathFactor + method); 0 is around a root
//	shape    mix(method + mix(children + shapeStep · number of children))
//	children ((c1 · shapeFactor + c2) · shapeFactor + c3) …, modulo 2^61 - 1, of the shapes of the calls directly in it
//
// Children are a polynomial so that parts of a list of children, found at once by several goroutines, can be joined.
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3

	pathFactor  = 0x9e3779b97f4a7c15
	shapeStep   = 0xbf58476d1ce4e5b9
	shapeFactor = 0x0eb382d69ddfea08 // less than the modulus
	modulus     = 1<<61 - 1
)

// mix spreads each bit of x over all bits, reversibly: the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func hashMethod(class, name, parameters string) uint64 {
	h := uint64(fnvOffset)
	for i, s := range [...]string{class, name, parameters} {
		if i > 0 {
			h *= fnvPrime // a byte 0
		}
		for j := range len(s) {
			h = (h ^ uint64(s[j])) * fnvPrime
		}
	}
	return mix(h)
}

// hashPath returns the hash of a path that ends with a method.
func hashPath(around, method uint64) uint64 { return mix(around*pathFactor + method) }

// hashShape returns the hash of a call with everything in it.
func hashShape(method uint64, in children) uint64 {
	return mix(method + mix(in.sum+shapeStep*uint64(in.count)))
}

// children are the shapes of calls, in order.
type children struct {
	sum   uint64
	count int64
}

func (c *children) add(shape uint64) {
	c.sum = addMod(mulMod(c.sum, shapeFactor), reduce(shape))
	c.count++
}

func (c *children) join(next children) {
	c.sum = addMod(mulMod(c.sum, power(next.count)), next.sum)
	c.count += next.count
}

// power returns shapeFactor to the power of n.
func power(n int64) uint64 {
	result := uint64(1)
	for base := uint64(shapeFactor); n > 0; n >>= 1 {
		if n&1 != 0 {
			result = mulMod(result, base)
		}
		base = mulMod(base, base)
	}
	return result
}

// reduce returns x modulo the modulus.
func reduce(x uint64) uint64 {
	x = x>>61 + x&modulus
	if x >= modulus {
		x -= modulus
	}
	return x
}

// addMod adds two numbers that are less than the modulus.
func addMod(a, b uint64) uint64 { return reduce(a + b) }

// mulMod multiplies two numbers that are less than the modulus.
func mulMod(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return reduce(low&modulus + (low>>61 | high<<3))
}

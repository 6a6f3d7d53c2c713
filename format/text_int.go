package format

import (
	"math/bits"
	"slices"
	"strconv"
)

// appendInt is strconv.AppendInt in base 10 for text in bulk: it writes the digits of an
// identity hash, which most lines have, where they belong instead of copying them there.
func appendInt(dst []byte, n int64) []byte {
	u := uint64(n)
	if n < 0 {
		dst = append(dst, '-')
		u = -u
	}
	if u >= 1e10 {
		return strconv.AppendUint(dst, u, 10)
	}
	at := len(dst) + digitCount(u)
	dst = slices.Grow(dst, 10)[:at]
	for u >= 100 {
		q := u / 100
		pair := 2 * (u - 100*q)
		at -= 2
		dst[at+1], dst[at] = digitPairs[pair+1], digitPairs[pair]
		u = q
	}
	if u >= 10 {
		dst[at-1], dst[at-2] = digitPairs[2*u+1], digitPairs[2*u]
	} else {
		dst[at-1] = '0' + byte(u)
	}
	return dst
}

// digitPairs are the numbers 0 to 99 with two digits each.
const digitPairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" +
	"40414243444546474849" + "50515253545556575859" + "60616263646566676869" + "70717273747576777879" +
	"80818283848586878889" + "90919293949596979899"

var powersOfTen = [...]uint64{1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}

// digitCount returns the number of decimal digits of a number below 1e10.
func digitCount(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // by the logarithm: right, or one less
	if u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}

package literal

import "bytes"

// Any finds any of several texts, which are not empty, in data.
type Any struct {
	parts  []Text
	common []int // indices of the bytes in which all parts agree
}

// AnyOf returns an Any for parts, which must not change.
func AnyOf(parts []Text) *Any {
	a := &Any{parts: parts}
	if len(parts) == 0 {
		return a
	}
	first := &parts[0]
	for i, c := range first.text {
		agree := func(t *Text) bool { return i < len(t.text) && t.text[i] == c && t.fold == first.fold }
		if all(parts, agree) {
			a.common = append(a.common, i)
		}
	}
	return a
}

func all(parts []Text, holds func(*Text) bool) bool {
	for i := range parts {
		if !holds(&parts[i]) {
			return false
		}
	}
	return true
}

const (
	// samples is how many bytes of data tell how frequent each byte is. Less than sampled bytes of data are
	// searched without.
	samples = 1 << 8
	sampled = 64 * samples
	// A byte is frequent if it is more than one of so many.
	frequent = 24
	// block is how many bytes are searched for both cases of a letter at a time: they stay in the processor's cache.
	block = 32 << 10
)

// In reports whether b contains one of the parts. It looks for the byte that is rarest in b, of those
// in which the parts agree, or for that of each part. That is several times as fast as bytes.Contains, which looks for
// the first one: in numbers most often 0.
func (a *Any) In(b []byte) bool {
	var count *[256]uint16
	if len(b) >= sampled {
		count = sample(b)
		if at := rarest(a.parts, a.common, count); at >= 0 {
			return in(b, a.parts, at)
		}
	}
	for i := range a.parts {
		part := a.parts[i : i+1]
		at := -1
		if count != nil {
			at = rarest(part, nil, count)
		}
		if at >= 0 && in(b, part, at) || at < 0 && part[0].In(b) {
			return true
		}
	}
	return false
}

// sample returns how often each byte is among some of b.
func sample(b []byte) *[256]uint16 {
	count := new([256]uint16)
	step := len(b) / samples
	step -= 1 - step%2 // an odd one: fields are aligned to even ones
	for i := range samples {
		count[b[i*step]]++
	}
	return count
}

// rarest returns the index of the byte to look for, among some indices, or among all of a single part; -1 if all are frequent.
func rarest(parts []Text, among []int, count *[256]uint16) (at int) {
	at = -1
	least := uint16(samples / frequent)
	try := func(i int) {
		c := parts[0].text[i]
		n := count[c]
		if parts[0].fold && upper(c) != c {
			n += count[upper(c)]
		}
		if n < least {
			at, least = i, n
		}
	}
	for _, i := range among {
		try(i)
	}
	if len(parts) == 1 && among == nil {
		for i := range parts[0].text {
			try(i)
		}
	}
	return at
}

// in reports whether b contains one of the parts. It looks for the byte at an index of all parts, until that turns out to be frequent.
func in(b []byte, parts []Text, at int) bool {
	small := parts[0].text[at]
	cases := []byte{small}
	if large := upper(small); parts[0].fold && large != small {
		cases = append(cases, large)
	}
	seen := 0
	for done := at; done < len(b); done += block {
		until := min(done+block, len(b))
		for _, c := range cases {
			for from := done; from < until; from++ {
				i := bytes.IndexByte(b[from:until], c)
				if i < 0 {
					break
				}
				from += i
				for k := range parts {
					if parts[k].begins(b[from-at:]) {
						return true
					}
				}
				if seen++; seen > samples/frequent && seen*frequent > from {
					return contains(b[max(0, done-at):], parts)
				}
			}
		}
	}
	return false
}

// contains reports whether b contains one of the parts in which no byte is rare.
func contains(b []byte, parts []Text) bool {
	return !all(parts, func(t *Text) bool { return !t.In(b) })
}

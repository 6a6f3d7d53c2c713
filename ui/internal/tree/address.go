package tree

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tracex/lazy"
)

// AddressKind tells what an address refers to.
type AddressKind int

const (
	Nothing AddressKind = iota // nothing was typed
	Unknown                    // it is no address
	Event                      // an event by its number
	Share                      // a position in the thread of the cursor
	Thread                     // a thread by its number
	Place                      // a handle of a position: see [lazy.Handle]
	Time                       // a moment in the thread of the cursor
)

type Address struct {
	Kind   AddressKind
	Number int64   // of the event; of the thread, from 1; -1 if larger than any can be; nanoseconds of a time
	Share  float64 // in percent
	Text   string  // the number as typed; the whole text if it is no address
	Place  lazy.Position
}

// forms has a group for each kind of address, in the order of the kinds. It is compiled on first use: otherwise every start
// of the program would pay for it.
var forms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:#|e(?:vent)?\s*)?([0-9][0-9,_ ]*)|([0-9]+(?:\.[0-9]+)?)\s*%|t(?:hread)?\s*([0-9]+)` +
		`|(@.*)|([0-9]+(?:\.[0-9]+)?\s*(?:ns|us|µs|ms|s|m|h)))$`)
})

// ParseAddress reads an address: "1204", "1,204", "#1204", "e 12", "@3+88120", "50%", "t3", "thread 3",
// "748ms".
func ParseAddress(text string) Address {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return Address{}
	}
	unknown := Address{Kind: Unknown, Text: text}
	groups := forms().FindStringSubmatch(text)
	if groups == nil {
		return unknown
	}
	i := slices.IndexFunc(groups[1:], func(s string) bool { return s != "" })
	a, ok := Address{Kind: Event + AddressKind(i), Text: groups[1+i]}, true
	var err error // out of range
	switch a.Kind {
	case Share:
		a.Share, err = strconv.ParseFloat(a.Text, 64)
	case Place:
		var h lazy.Handle
		h, ok = lazy.ParseHandle(a.Text)
		a.Place = h.Position
	case Time:
		var at time.Duration
		at, err = time.ParseDuration(strings.ReplaceAll(a.Text, " ", ""))
		a.Number = int64(at)
	case Event, Thread:
		a.Number = number(a.Text)
	}
	if !ok || err != nil {
		return unknown
	}
	return a
}

// number parses a number that may be grouped. It returns -1 if the number is larger than
// any in a trace.
func number(text string) int64 {
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "", " ", "").Replace(text), 10, 64)
	if err != nil || n > math.MaxInt32 {
		return -1
	}
	return n
}

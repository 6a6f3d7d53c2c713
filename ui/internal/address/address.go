// Package address parses the addresses that the user types to go somewhere.
package address

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tracex/lazy"
)

// Kind tells what an address refers to.
type Kind int

const (
	Nothing Kind = iota // nothing was typed
	Unknown             // it is no address
	Event               // an event by its number
	Share               // a position in the thread of the cursor
	Thread              // a thread by its number
	Place               // a handle of a position: see [lazy.Handle]
	Time                // a moment in the thread of the cursor
)

// Address tells where to go.
type Address struct {
	Kind   Kind
	Number int64   // of the event; of the thread, from 1; -1 if larger than any can be; nanoseconds of a time
	Share  float64 // in percent
	Text   string  // the number as typed; the whole text if it is no address
	Place  lazy.Position
}

// form is one way to type an address of a kind.
type form struct {
	*regexp.Regexp
	kind Kind
}

// forms are all forms, in the order to try. They are compiled on first use: otherwise every
// start of the program would pay for them.
var forms = sync.OnceValue(func() []form {
	return []form{
		{regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*%$`), Share},
		{regexp.MustCompile(`^t(?:hread)?\s*([0-9]+)$`), Thread},
		{regexp.MustCompile(`^(?:#|e(?:vent)?\s*)?([0-9][0-9,_ ]*)$`), Event},
		{regexp.MustCompile(`^(@.*)$`), Place},
		{regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?\s*(?:ns|us|µs|ms|s|m|h))$`), Time},
	}
})

// Parse reads an address: "1204", "1,204", "#1204", "e 12", "@3+88120", "50%", "t3", "thread 3",
// "748ms".
func Parse(text string) Address {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return Address{}
	}
	for _, f := range forms() {
		found := f.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		a := Address{Kind: f.kind, Text: found[len(found)-1]}
		switch f.kind {
		case Share:
			share, err := strconv.ParseFloat(a.Text, 64)
			if err != nil { // out of range
				return Address{Kind: Unknown, Text: text}
			}
			a.Share = share
		case Place:
			h, ok := lazy.ParseHandle(a.Text)
			if !ok {
				return Address{Kind: Unknown, Text: text}
			}
			a.Place = h.Position
		case Time:
			ns, err := time.ParseDuration(strings.ReplaceAll(a.Text, " ", ""))
			if err != nil { // out of range
				return Address{Kind: Unknown, Text: text}
			}
			a.Number = int64(ns)
		case Event, Thread:
			a.Number = number(a.Text)
		}
		return a
	}
	return Address{Kind: Unknown, Text: text}
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

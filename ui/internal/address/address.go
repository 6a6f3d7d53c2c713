// Package address reads what a person types to say where to go.
package address

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Kind says what an address is of.
type Kind int

const (
	Nothing Kind = iota // nothing was typed
	Unknown             // it is no address
	Event               // an event by its number
	Share               // a place in the thread of the cursor
	Thread              // a thread by its number
	Quit
	Help
)

// Address is a place to go to.
type Address struct {
	Kind   Kind
	Number int64   // of the event; of the thread, from 1; -1: larger than there can be
	Share  float64 // in percent
	Text   string  // the number as it was typed; of what is no address, all of it
}

// form is what can be typed for an address of a kind.
type form struct {
	*regexp.Regexp
	kind Kind
}

// forms are all forms, to be tried in order. They are made when they are needed:
// every start of the program would pay for them.
var forms = sync.OnceValue(func() []form {
	return []form{
		{regexp.MustCompile(`^(?:q|quit|q!)$`), Quit},
		{regexp.MustCompile(`^(?:h|help)$`), Help},
		{regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*%$`), Share},
		{regexp.MustCompile(`^t(?:hread)?\s*([0-9]+)$`), Thread},
		{regexp.MustCompile(`^(?:e(?:vent)?\s*)?([0-9][0-9,_ ]*)$`), Event},
	}
})

// Parse reads an address: "1204", "1,204", "e 12", "50%", "t3", "thread 3", "q", "help".
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
		case Event, Thread:
			a.Number = number(a.Text)
		}
		return a
	}
	return Address{Kind: Unknown, Text: text}
}

// number reads a number that may be grouped; -1: it is larger than any in a trace.
func number(text string) int64 {
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "", " ", "").Replace(text), 10, 64)
	if err != nil || n > math.MaxInt32 {
		return -1
	}
	return n
}

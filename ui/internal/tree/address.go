package tree

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tracex/lazy"
)

// AddressKind tells what an address refers to.
type AddressKind int

const (
	Nothing   AddressKind = iota // nothing was typed
	Unknown                      // it is no address
	Event                        // an event by its number
	Share                        // a position in the thread of the cursor
	Thread                       // a thread by its number
	Place                        // a handle of a position: see [lazy.Handle]
	Time                         // a moment in the thread of the cursor
	Goroutine                    // a thread by the number of its goroutine
)

type Address struct {
	Kind   AddressKind
	Number int64   // of the event; of the goroutine; of the thread, from 1; -1 if larger than any can be; nanoseconds of a time
	Share  float64 // in percent
	Text   string  // the number as typed; the whole text if it is no address
	Place  lazy.Position
}

// form is one way to type an address of a kind.
type form struct {
	*regexp.Regexp
	kind AddressKind
}

// forms are all forms, in the order to try, compiled on first use: not each start of the program needs them.
var forms = sync.OnceValue(func() []form {
	return []form{
		{regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*%$`), Share},
		{regexp.MustCompile(`^t(?:hread)?\s*([0-9]+)$`), Thread},
		{regexp.MustCompile(`^g(?:oroutine)?\s*([0-9]+)$`), Goroutine},
		{regexp.MustCompile(`^(?:#|e(?:vent)?\s*)?([0-9][0-9,_ ]*)$`), Event},
		{regexp.MustCompile(`^(@.*)$`), Place},
		{regexp.MustCompile(`^((?:[0-9]+(?:\.[0-9]+)?\s*(?:ns|us|µs|ms|s|m|h)\s*)+)$`), Time},
	}
})

// ParseAddress reads an address: "1204", "1,204", "#1204", "e 12", "@3+88120", "50%", "t3", "goroutine 45", "748ms", "1m3.5s".
func ParseAddress(text string) Address {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return Address{}
	}
	unknown := Address{Kind: Unknown, Text: text}
	for _, f := range forms() {
		found := f.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		a := Address{Kind: f.kind, Text: found[1]}
		var err error // out of range
		switch f.kind {
		case Share:
			a.Share, err = strconv.ParseFloat(a.Text, 64)
		case Place:
			h, ok := lazy.ParseHandle(a.Text)
			if !ok {
				return unknown
			}
			a.Place = h.Position
		case Time:
			var at time.Duration
			at, err = time.ParseDuration(strings.ReplaceAll(a.Text, " ", ""))
			a.Number = int64(at)
		case Event, Thread, Goroutine:
			a.Number, err = strconv.ParseInt(strings.NewReplacer(",", "", "_", "", " ", "").Replace(a.Text), 10, 64)
			if err != nil || a.Number > math.MaxInt32 {
				a.Number, err = -1, nil
			}
		}
		if err != nil {
			return unknown
		}
		return a
	}
	return unknown
}

// Shop sells what is in its catalogue and records how: orders are priced, paid and
// packed, the latter on threads of their own, and two cards are refused. What
// tracex demo shows was recorded with it:
//
//	go run ./testdata/programs/shop testdata/demo/shop.bin
//	gzip -9nf testdata/demo/shop.bin testdata/demo/shop.bin.idx testdata/demo/shop.bin.tim
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"tracex/recorder"
)

const catalogue = `tea,4.50,180
coffee,7.20,250
cup,3.10,320
kettle,39.90,1250
honey,5.75,500
spoon,1.20,45
biscuits,2.80,200`

// orders are a customer and what is bought; a card that ends with 0 is refused.
const orders = `Ada 4711 2 tea 1 cup 1 honey
Blaise 1623 1 kettle
Charles 1791 3 coffee 3 cup 6 spoon 2 biscuits
Dorothy 1910 1 tea 1 kettle 2 cup
Edsger 1930 5 biscuits
Frances 1932 2 honey 1 spoon
Grace 1906 4 coffee 1 biscuits 2 cup`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: shop TRACE")
	}
	rec, err := recorder.Start(recorder.Config{Path: args[0], Overwrite: true})
	if err != nil {
		return err
	}
	s := newShop(rec)
	s.open()
	return rec.Stop()
}

// item is what can be bought: its price in cents and its weight in grams.
type item struct {
	name          string
	price, weight int
}

// shop knows its items; the methods are what it is recorded with.
type shop struct {
	rec   *recorder.Recorder
	t     *recorder.Thread
	items map[string]item
	boxes chan string

	mOpen, mLoad, mParse, mOrder, mPrice, mDiscount recorder.Method
	mPay, mReceipt, mPack, mLabel                   recorder.Method
	vItem, vTotal                                   recorder.Variable
}

func newShop(rec *recorder.Recorder) *shop {
	method := func(class, name string) recorder.Method {
		return rec.Method(rec.Class("shop."+class), name, recorder.Type{})
	}
	return &shop{
		rec: rec, t: rec.Thread("counter"), items: make(map[string]item), boxes: make(chan string),
		mOpen: method("Shop", "open"), mLoad: method("Catalogue", "load"), mParse: method("Catalogue", "parse"),
		mOrder: method("Shop", "order"), mPrice: method("Till", "price"), mDiscount: method("Till", "discount"),
		mPay: method("Till", "pay"), mReceipt: method("Till", "receipt"),
		mPack: method("Packer", "pack"), mLabel: method("Packer", "label"),
		vItem: rec.Variable("item", recorder.ObjectType("shop.Item")), vTotal: rec.Variable("total", recorder.ObjectType("int")),
	}
}

// caller is where the method that asks for it was called from, which is the place
// of a call, and here is where it is asked for, that of anything else. The
// recorder registers each place once.
func (s *shop) caller() recorder.Location { return s.rec.Caller(2) }
func (s *shop) here() recorder.Location   { return s.rec.Caller(1) }

// open serves all customers while two packers work.
func (s *shop) open() {
	served := 0
	defer s.t.Call(s.mOpen, s.caller(), recorder.Null()).End(&served)
	s.load("catalogue.csv")
	var packers sync.WaitGroup
	for i := range 2 {
		packers.Add(1)
		s.rec.Go(context.Background(), fmt.Sprint("packer ", i+1), func(ctx context.Context) {
			defer packers.Done()
			for box := range s.boxes {
				s.pack(recorder.FromContext(ctx), box)
			}
		})
	}
	s.t.Loop(s.here())
	for _, order := range strings.Split(orders, "\n") {
		s.t.Iteration(s.here())
		if s.order(order) {
			served++
		}
	}
	s.t.EndLoop()
	close(s.boxes)
	packers.Wait()
}

// load reads the catalogue.
func (s *shop) load(file string) {
	n := 0
	defer s.t.Call(s.mLoad, s.caller(), recorder.Null(), recorder.String(file)).End(&n)
	for _, line := range strings.Split(catalogue, "\n") {
		it := s.parse(line)
		s.items[it.name] = it
		n++
	}
}

func (s *shop) parse(line string) (it item) {
	name := ""
	defer s.t.Call(s.mParse, s.caller(), recorder.Null(), recorder.String(line)).End(&name)
	parts := strings.Split(line, ",")
	price, errPrice := strconv.ParseFloat(parts[1], 64)
	weight, errWeight := strconv.Atoi(parts[2])
	if err := errors.Join(errPrice, errWeight); err != nil {
		panic(err)
	}
	name = parts[0]
	s.t.WriteVariable(s.vItem, s.here(), recorder.String(name))
	return item{name, int(price*100 + 0.5), weight}
}

// order prices an order, takes the money and has it packed. It reports whether
// the card was good.
func (s *shop) order(text string) (done bool) {
	words := strings.Fields(text)
	customer, card := words[0], words[1]
	defer s.t.Call(s.mOrder, s.caller(), recorder.Null(), recorder.String(customer), recorder.Int(len(words)/2-1)).End(&done)
	defer func() {
		if refused := recover(); refused != nil {
			s.t.Catch(recorder.String(fmt.Sprint(refused)), s.here())
		}
	}()
	total := s.price(words[2:])
	s.pay(card, total)
	s.receipt(customer, total)
	s.boxes <- customer
	return true
}

func (s *shop) price(words []string) (total int) {
	defer s.t.Call(s.mPrice, s.caller(), recorder.Null(), recorder.Int(len(words)/2)).End(&total)
	s.t.Loop(s.here())
	for i := 0; i+1 < len(words); i += 2 {
		s.t.Iteration(s.here())
		n, err := strconv.Atoi(words[i])
		if err != nil {
			panic(err)
		}
		it := s.items[words[i+1]]
		s.t.WriteVariable(s.vItem, s.here(), recorder.String(it.name))
		total += n*it.price - s.discount(n, it.price)
		s.t.WriteVariable(s.vTotal, s.here(), recorder.Int(total))
	}
	s.t.EndLoop()
	return total
}

// discount is a tenth from three of a kind on.
func (s *shop) discount(n, price int) (off int) {
	defer s.t.Call(s.mDiscount, s.caller(), recorder.Null(), recorder.Int(n), recorder.Int(price)).End(&off)
	if n >= 3 {
		off = n * price / 10
	}
	return off
}

// cardRefused is a card that is no good.
type cardRefused string

func (c cardRefused) Error() string { return "card " + string(c) + " refused" }

func (s *shop) pay(card string, total int) {
	ok := false
	defer s.t.Call(s.mPay, s.caller(), recorder.Null(), recorder.String(card), recorder.Int(total)).End(&ok)
	if strings.HasSuffix(card, "0") {
		panic(cardRefused(card))
	}
	ok = true
}

// receipt signs the receipt, slowly: this is where the time goes.
func (s *shop) receipt(customer string, total int) (signature string) {
	defer s.t.Call(s.mReceipt, s.caller(), recorder.Null(), recorder.String(customer), recorder.Int(total)).End(&signature)
	return sign(fmt.Sprint(customer, total), 300*len(customer))
}

func (s *shop) pack(t *recorder.Thread, customer string) {
	boxes := 1
	defer t.Call(s.mPack, s.caller(), recorder.Null(), recorder.String(customer)).End(&boxes)
	s.label(t, customer)
}

func (s *shop) label(t *recorder.Thread, customer string) (label string) {
	defer t.Call(s.mLabel, s.caller(), recorder.Null(), recorder.String(customer)).End(&label)
	return "to " + customer + " " + sign(customer, 100)
}

// sign hashes a text n times.
func sign(text string, n int) string {
	sum := sha256.Sum256([]byte(text))
	for range n {
		sum = sha256.Sum256(sum[:])
	}
	return hex.EncodeToString(sum[:4])
}

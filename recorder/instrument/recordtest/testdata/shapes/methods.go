package main

type T struct{ n int }

func (T) plain() int    { return 1 }
func (_ *T) blank() int { return 2 }
func (t T) value() int  { return t.n }
func (t *T) pointer() int {
	if t == nil {
		return -1
	}
	return t.n
}

// A Number is no struct.
type Number int

func (n Number) twice() Number { return 2 * n }

// A Text has no fields that are written.
type Text []string

func (t Text) join() (s string) {
	for _, x := range t {
		s += x
	}
	return s
}

type Handler func(int) int

func (h Handler) handle(n int) int { return h(n) }

type valuer interface{ value() int }

type Embeds struct{ T }
type EmbedsPointer struct{ *T }
type EmbedsInterface struct{ valuer }

func local() any {
	type T struct{ inner string }
	return T{"local"}
}

var heapT = &T{5}

func methods() []any {
	t := *heapT
	sum := t.plain() + heapT.blank() + t.value() + heapT.pointer() + (*T)(nil).pointer()
	var i valuer = t
	sum += i.value()
	sum += Embeds{t}.value() + EmbedsPointer{heapT}.value() + EmbedsInterface{heapT}.value()
	sum += (&Embeds{t}).pointer()
	bound := heapT.pointer // method value
	sum += bound()
	sum += T.value(t) + (*T).pointer(heapT) + valuer.value(t) // method expressions
	sum += int(Number(4).twice())
	sum += Handler(func(n int) int { return n + 1 }).handle(1)
	return []any{sum, Text{"a", "b"}.join(), local()}
}

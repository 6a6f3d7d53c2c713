package main

func again3(n int) int {
top:
	n++
	if n < 3 {
		goto top
	}
	return n
}

func labelBefore(done chan bool) {
start:
	go signal(done)
	if !<-done {
		goto start
	}
}

func signal(done chan bool) { done <- true }

func seventeen(n int) string {
	switch n {
	case 0:
		return "0"
	case 1:
		return "1"
	case 2:
		return "2"
	case 3:
		return "3"
	case 4:
		return "4"
	case 5:
		return "5"
	case 6:
		return "6"
	case 7:
		return "7"
	case 8:
		return "8"
	case 9:
		return "9"
	case 10:
		return "10"
	case 11:
		return "11"
	case 12:
		return "12"
	case 13:
		return "13"
	case 14:
		return "14"
	case 15:
		return "15"
	}
	return "many"
}

func forever(c chan int) int {
	for {
		select {
		case n := <-c:
			return n
		}
	}
}

func shadows(any, len, append, nil, string int) (true, error int) {
	type int = uint8
	_ = int(1)
	return 3, any + len + append + nil + string - 3
}

func control() []any {
	c := make(chan int, 1)
	c <- 4
	labelBefore(make(chan bool))
	_, sum := shadows(1, 2, 3, 4, 5)
	return []any{again3(0), seventeen(15), seventeen(99), forever(c), sum}
}

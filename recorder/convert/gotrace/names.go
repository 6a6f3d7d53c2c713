package gotrace

import (
	"strings"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/internal/gonames"
)

// kind tells how far a function is from what the program's author wrote.
type kind uint8

const (
	kindPark     kind = iota // of the runtime: how a goroutine comes to wait
	kindRuntime              // of the rest of the runtime, or of internal packages of the standard library
	kindSyscall              // of packages of system calls
	kindSync                 // of package sync
	kindStandard             // of the rest of the standard library
	kindUser
)

// function is what the name of a function says.
type function struct {
	class, method string
	name          string // as it is shown: shop.Order.Pay
	full          string // as the runtime has it
	kind          kind
	starter       bool
}

// standard has the first elements of the import paths of the standard library.
var standard = set(`archive bufio bytes cmp compress container context crypto database debug embed encoding errors
	expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp
	runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak`)

// starters are functions that a go statement of a library starts, to call what the program passed
// to it. Those of package testing are, too.
var starters = set(`runtime.main time.goFunc sync.(*WaitGroup).Go.func1 golang.org/x/sync/errgroup.(*Group).Go.func1
	golang.org/x/sync/errgroup.(*Group).add.func1 golang.org/x/sync/errgroup.(*Group).TryGo.func1`)

// parking are functions of the runtime that make a goroutine wait, with what for.
var parking = map[string]string{
	"runtime.gopark": "", "runtime.goparkunlock": "", "runtime.systemstack_switch": "", "runtime.mcall": "",
	"runtime.chanrecv": "chan receive", "runtime.chanrecv1": "chan receive", "runtime.chanrecv2": "chan receive",
	"runtime.chansend": "chan send", "runtime.chansend1": "chan send", "runtime.selectgo": "select", "runtime.block": "select",
	"runtime.netpollblock": "network", "runtime.semacquire1": "sync",
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// named are packages of the standard library that the names of states rely on: none of the program takes their names.
var named = []string{"runtime", "sync", "syscall", "time"}

// newNamer returns what names the packages of a trace. A trace tells their paths as it goes, so that the first package of
// a name has that, and others have as much of their paths as they need.
func newNamer(to *calltrace.Writer) *gonames.Namer {
	n := &gonames.Namer{Note: to.Package}
	for _, name := range named {
		n.Learn(name, name)
	}
	return n
}

// mostPackages is how many packages get names. Others have their paths.
const mostPackages = 1 << 16

// functionOf reads the runtime's name of a function.
func functionOf(full string, names *gonames.Namer) *function {
	f := &function{full: full}
	pkg, receiver, method := gonames.Split(full)
	if f.method = method; pkg != "" {
		name := pkg
		if names.Len() < mostPackages {
			name = names.Name(pkg, gonames.PackageName(pkg))
		}
		f.class = gonames.Class(name, receiver)
	}
	f.name = f.method
	if f.class != "" {
		f.name = f.class + "." + f.method
	}
	path := gonames.Path(full)
	if f.kind = kindOf(path); f.kind == kindRuntime {
		if _, ok := parking[full]; ok || strings.HasPrefix(full, "runtime.traceLocker.") {
			f.kind = kindPark
		}
	}
	f.starter = path == "testing" || starters[full]
	return f
}

func kindOf(path string) kind {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first == "runtime", first == "internal":
		return kindRuntime
	case first == "syscall", strings.HasPrefix(path, "golang.org/x/sys/"):
		return kindSyscall
	case first == "sync":
		return kindSync
	case standard[first]:
		return kindStandard
	}
	return kindUser
}

// base returns the last element of a path.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

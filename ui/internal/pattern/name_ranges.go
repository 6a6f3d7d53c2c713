package pattern

import (
	"tracex/lazy"
)

// NameRanges returns the parts to highlight in a call whose name was found; its text has size
// bytes. A call found by its location in the source has no match in the row.
func NameRanges(named *lazy.Named, p *Pattern, size int) [][2]int {
	if named.Call == "" {
		return nil
	}
	names := []struct {
		call  string
		class int
		other func(dst []byte) []byte
	}{{named.Call, named.Class, named.AppendOther}, {named.Full, named.FullClass, named.AppendFull}}
	for _, name := range names {
		if name.call == "" {
			continue
		}
		from, to := p.Find(append([]byte(name.call), "()"...))
		to = min(to, len(name.call)+len("("))
		if named.At >= 0 {
			if f, t := p.Find(name.other(nil)); f >= 0 && f < name.class {
				from, to = f, t
			}
		}
		switch method := name.class + 1; { // where the method's name begins
		case from < 0 || from >= name.class:
			continue
		case named.At < 0: // new Class()
			return [][2]int{{0, min(len(named.Call), size)}}
		case to <= method:
			return [][2]int{{named.At, min(named.At+len(name.call)-method, size)}}
		default:
			return [][2]int{{named.At, min(named.At+to-method, size)}}
		}
	}
	return nil
}

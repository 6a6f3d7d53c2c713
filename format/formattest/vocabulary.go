package formattest

import (
	"fmt"
	"math/rand/v2"

	"tracex/format"
)

// Sizes of the vocabulary of generated traces: about what a small program has.
const (
	classCount    = 50
	methodCount   = 400
	fieldCount    = 150
	variableCount = 200
	pathCount     = 200
	locationCount = 600

	staticEvery = 7 // one in so many fields is static
)

// vocabulary holds the reference objects of a generated trace, and which of them have been
// written. Ids are indexes.
type vocabulary struct {
	classes   []format.ClassDescriptor
	methods   []format.MethodDescriptor
	fields    []format.FieldDescriptor
	variables []format.VariableDescriptor
	strings   []format.StringObject
	paths     []format.AccessPath
	locations []format.CodeLocation
	byText    map[string]int32
	saved     *savedMarks
}

// savedMarks tells by kind and id which objects have been written.
type savedMarks [format.KindCodeLocation + 1][]bool

var (
	packages = []string{"com.acme.shop", "com.acme.shop.order", "com.acme.db", "com.acme.net.http", "org.example.json"}
	nouns    = []string{"Order", "Customer", "Invoice", "Parser", "Reader", "Writer", "Cache", "Session", "Request", "Index"}
	verbs    = []string{"get", "set", "find", "parse", "write", "read", "compute", "update", "remove", "check"}
	locals   = []string{"i", "count", "key", "value", "node", "result", "buffer", "index", "name", "total"}
)

// newVocabulary makes the names of a program. odd, which may be nil, sometimes turns a plain
// name into a strange one.
func newVocabulary(r *rand.Rand, version format.Version, odd func(plain string) string) *vocabulary {
	if odd == nil {
		odd = func(s string) string { return s }
	}
	v := &vocabulary{byText: make(map[string]int32)}
	for i := range classCount {
		name := fmt.Sprintf("%s.%s%s", packages[i%len(packages)], nouns[i%len(nouns)], []string{"Service", "Store", "Impl", "$Entry", "Task"}[i/len(nouns)%5])
		v.classes = append(v.classes, format.ClassDescriptor{ID: int32(i), Name: odd(name)})
	}
	for i := range fieldCount {
		v.fields = append(v.fields, format.FieldDescriptor{ID: int32(i), ClassID: int32(r.IntN(classCount)), Name: odd(locals[i%10] + fmt.Sprint(i/10)),
			Type: v.someType(r), Static: i%staticEvery == 0, Final: i%3 == 0, Volatile: i%11 == 0})
	}
	for i := range variableCount {
		v.variables = append(v.variables, format.VariableDescriptor{ID: int32(i), Name: odd(variableName(i)), Type: v.someType(r)})
	}
	v.addMethods(r, odd)
	for i := range pathCount {
		v.paths = append(v.paths, format.AccessPath{ID: int32(i), Steps: steps(r, i)})
	}
	v.addLocations(r)
	if version >= format.V27 {
		v.addLoops()
	}
	v.saved = v.nothingSaved()
	return v
}

func (v *vocabulary) nothingSaved() *savedMarks {
	marks := new(savedMarks)
	for i, n := range [...]int{0, classCount, methodCount, fieldCount, variableCount, len(v.strings), pathCount, locationCount} {
		marks[i] = make([]bool, n)
	}
	return marks
}

func variableName(i int) string {
	if i < len(locals) {
		return locals[i]
	}
	return fmt.Sprintf("%s%d", locals[i%len(locals)], i/len(locals))
}

func (v *vocabulary) someType(r *rand.Rand) format.Type {
	kinds := [...]format.TypeKind{format.TypeInt, format.TypeInt, format.TypeLong, format.TypeObject, format.TypeObject,
		format.TypeBoolean, format.TypeByte, format.TypeChar, format.TypeDouble, format.TypeFloat, format.TypeShort}
	t := format.Type{Kind: kinds[r.IntN(len(kinds))]}
	if t.Kind == format.TypeObject {
		t.Class = "java.lang.String"
		if r.IntN(2) == 0 {
			t.Class = v.classes[r.IntN(len(v.classes))].Name
		}
	}
	if r.IntN(8) == 0 {
		t.Dims = uint8(1 + r.IntN(3))
	}
	return t
}

// addMethods adds the methods, with zero to four arguments.
func (v *vocabulary) addMethods(r *rand.Rand, odd func(string) string) {
	for i := range methodCount {
		m := format.MethodDescriptor{ID: int32(i), ClassID: int32(i % classCount), Name: odd(verbs[i/3%10] + nouns[i/classCount%10]), Result: v.someType(r)}
		switch i % 10 {
		case 0:
			m.Name = "<init>"
			m.Result = format.Type{Kind: format.TypeVoid}
		case 1:
			m.Result = format.Type{Kind: format.TypeVoid}
		}
		for range []int{0, 1, 1, 2, 4}[i%5] {
			m.Args = append(m.Args, v.someType(r))
		}
		v.methods = append(v.methods, m)
	}
}

// steps returns the i-th access path. Named elements refer only to earlier paths, as in a
// recorded trace.
func steps(r *rand.Rand, i int) []format.AccessStep {
	out := []format.AccessStep{{Kind: format.AccessVariable, Ref: int32(r.IntN(variableCount))}}
	if i%9 == 8 {
		out[0] = format.AccessStep{Kind: format.AccessStaticField, Ref: int32(staticEvery * r.IntN(fieldCount/staticEvery))}
	}
	for range r.IntN(3) {
		switch k := r.IntN(4); {
		case k == 0:
			out = append(out, format.AccessStep{Kind: format.AccessElement, Ref: int32(r.IntN(100))})
		case k == 1 && i > 0:
			out = append(out, format.AccessStep{Kind: format.AccessNamedElement, Ref: int32(r.IntN(i))})
		default:
			out = append(out, format.AccessStep{Kind: format.AccessObjectField, Ref: objectField(r)})
		}
	}
	return out
}

// objectField picks a field that is not static: the reference refuses a trace whose access
// paths confuse the two kinds.
func objectField(r *rand.Rand) int32 {
	i := int32(r.IntN(fieldCount))
	if i%staticEvery == 0 {
		i++
	}
	return i
}

func (v *vocabulary) addLocations(r *rand.Rand) {
	for i := range locationCount {
		m := &v.methods[i%methodCount]
		class := v.classes[m.ClassID].Name
		l := format.CodeLocation{
			Kind: format.LocationKind(i % 3), ID: int32(i), File: v.text(nouns[i%10] + ".java"), Class: v.text(class),
			Method: v.text(m.Name), Line: int32(1 + r.IntN(900)), Path: -1,
		}
		if l.Kind != format.LocationLine {
			l.Path = int32(r.IntN(pathCount))
		}
		if l.Kind == format.LocationCall {
			for range m.Args {
				l.ArgNames = append(l.ArgNames, int32(r.IntN(pathCount)))
			}
		}
		if i%5 == 0 {
			l.Locals = []int32{v.text("this"), v.text(locals[i/5%10])}
			l.LocalKinds = []format.ActiveKind{format.ActiveThis, format.ActiveKind(1 + i/5%2)}
		}
		v.locations = append(v.locations, l)
	}
}

// addLoops makes some locations headers of loops.
func (v *vocabulary) addLoops() {
	for i := 3; i < len(v.locations); i += 4 {
		l := &v.locations[i]
		l.Kind, l.Path, l.ArgNames = format.LocationLoop, -1, nil
		l.Loops = []int32{l.ID}
		if i%8 == 3 {
			l.Loops = append(l.Loops, l.ID+1)
		}
	}
}

// text returns the id of a string object.
func (v *vocabulary) text(s string) int32 {
	id, ok := v.byText[s]
	if !ok {
		id = int32(len(v.strings))
		v.strings = append(v.strings, format.StringObject{ID: id, Value: s})
		v.byText[s] = id
	}
	return id
}

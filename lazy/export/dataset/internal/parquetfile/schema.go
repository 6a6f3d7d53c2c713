package parquetfile

import (
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Kind is the type of the values of a leaf, and how they are encoded.
type Kind uint8

// Kinds of leaves.
const (
	Boolean  Kind = iota // Column.Booleans
	Int32                // Column.Int32s
	Int64                // Column.Int64s
	Repeat32             // Column.Int32s: the same values occur again and again
	Repeat64             // Column.Int64s
	Double               // Column.Doubles, which occur again and again
	Name                 // Column.Names: texts of a table that the caller has
	Text                 // Column.Text and Column.Ends
)

// physical are the types in the file.
var physical = [...]format.Type{
	Boolean: format.Boolean, Int32: format.Int32, Int64: format.Int64, Repeat32: format.Int32, Repeat64: format.Int64,
	Double: format.Double, Name: format.ByteArray, Text: format.ByteArray,
}

// Node is a part of a schema.
type Node struct {
	name     string
	kind     Kind
	optional bool
	group    group
	children []Node
}

// group is what a node that is no leaf stands for.
type group uint8

const (
	leaf group = iota
	structure
	list
	mapping
)

// Leaf returns a node for values that are never null.
func Leaf(name string, kind Kind) Node { return Node{name: name, kind: kind} }

// Struct returns a node for a struct.
func Struct(name string, children ...Node) Node {
	return Node{name: name, group: structure, children: children}
}

// List returns a node for a list of structs, which are never null.
func List(name string, children ...Node) Node {
	return Node{name: name, group: list, children: children}
}

// Map returns a node for a map from texts to texts.
func Map(name string) Node {
	return Node{name: name, group: mapping, children: []Node{Leaf("key", Text), Optional(Leaf("value", Text))}}
}

// Optional returns the same node for values that may be null.
func Optional(n Node) Node {
	n.optional = true
	return n
}

// Schema is the columns of a file.
type Schema struct {
	elements []format.SchemaElement
	orders   []format.ColumnOrder
	leaves   []leafOf
}

// leafOf is a leaf of a schema. Its levels are those of the format: maxDef is the definition level of a value that is
// not null, and each optional or repeated node above it counts one.
type leafOf struct {
	path           []string
	kind           Kind
	maxDef, maxRep uint8
}

// NewSchema returns the schema of a file whose rows have these nodes.
func NewSchema(nodes ...Node) *Schema {
	s := &Schema{}
	root := format.SchemaElement{Name: "schema"}
	root.NumChildren.Set(int32(len(nodes)))
	s.elements = append(s.elements, root)
	for _, n := range nodes {
		s.add(n, nil, 0, 0)
	}
	return s
}

// add adds a node whose parents have these levels.
func (s *Schema) add(n Node, path []string, def, rep uint8) {
	path = append(path[:len(path):len(path)], n.name)
	e := format.SchemaElement{Name: n.name, RepetitionType: thrift.New(format.Required)}
	if n.optional {
		e.RepetitionType = thrift.New(format.Optional)
		def++
	}
	if n.group == leaf {
		e.Type = thrift.New(physical[n.kind])
		if n.kind == Name || n.kind == Text {
			e.LogicalType, e.ConvertedType = format.LogicalType{Value: new(format.StringType)}, thrift.New(deprecated.UTF8)
		}
		s.elements = append(s.elements, e)
		s.orders = append(s.orders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
		s.leaves = append(s.leaves, leafOf{path, n.kind, def, rep})
		return
	}
	switch n.group {
	case structure:
		s.addGroup(e, len(n.children))
	case list: // optional group NAME (LIST) { repeated group list { required group element { … } } }
		e.LogicalType, e.ConvertedType = format.LogicalType{Value: new(format.ListType)}, thrift.New(deprecated.List)
		s.addGroup(e, 1)
		s.addGroup(format.SchemaElement{Name: "list", RepetitionType: thrift.New(format.Repeated)}, 1)
		s.addGroup(format.SchemaElement{Name: "element", RepetitionType: thrift.New(format.Required)}, len(n.children))
		path, def, rep = append(path, "list", "element"), def+1, rep+1
	case mapping: // group NAME (MAP) { repeated group key_value { required key; optional value } }
		e.LogicalType, e.ConvertedType = format.LogicalType{Value: new(format.MapType)}, thrift.New(deprecated.Map)
		s.addGroup(e, 1)
		s.addGroup(format.SchemaElement{Name: "key_value", RepetitionType: thrift.New(format.Repeated)}, len(n.children))
		path, def, rep = append(path, "key_value"), def+1, rep+1
	}
	for _, c := range n.children {
		s.add(c, path, def, rep)
	}
}

func (s *Schema) addGroup(e format.SchemaElement, children int) {
	e.NumChildren.Set(int32(children))
	s.elements = append(s.elements, e)
}

// Leaves returns how many leaves there are.
func (s *Schema) Leaves() int { return len(s.leaves) }

package messages

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// canonical rewrites an encoded message so that two with the same meaning have the
// same bytes: fields in the order of their numbers, integers in their shortest
// form, packed lists unpacked. It decodes the bytes by itself; the description only
// tells it which fields are messages, and which are packed. Fields that are not in
// the description are kept as they are, and named in unknown.
func canonical(b []byte, d protoreflect.MessageDescriptor, unknown map[string]int) ([]byte, error) {
	type field struct {
		number protowire.Number
		bytes  []byte
	}
	var fields []field
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, fmt.Errorf("%s: %w", d.Name(), protowire.ParseError(n))
		}
		b = b[n:]
		value := b
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return nil, fmt.Errorf("%s, field %d: %w", d.Name(), number, protowire.ParseError(n))
		}
		value, b = b[:n], b[n:]
		known := d.Fields().ByNumber(number)
		if known == nil {
			unknown[fmt.Sprintf("%s.%d", d.Name(), number)]++
		}
		values, err := canonicalValue(value, number, kind, known, unknown)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			fields = append(fields, field{number, v})
		}
	}
	slices.SortStableFunc(fields, func(a, b field) int { return int(a.number) - int(b.number) })
	out := []byte{}
	for _, f := range fields {
		out = append(out, f.bytes...)
	}
	return out, nil
}

// canonicalValue returns the field's values, each with its tag; several if it was
// packed.
func canonicalValue(value []byte, number protowire.Number, kind protowire.Type, known protoreflect.FieldDescriptor, unknown map[string]int) ([][]byte, error) {
	tag := protowire.AppendTag(nil, number, kind)
	switch kind {
	case protowire.VarintType:
		v, _ := protowire.ConsumeVarint(value)
		return [][]byte{protowire.AppendVarint(tag, v)}, nil
	case protowire.BytesType:
		content, _ := protowire.ConsumeBytes(value)
		switch {
		case known == nil:
		case known.Message() != nil:
			var err error
			if content, err = canonical(content, known.Message(), unknown); err != nil {
				return nil, err
			}
		case known.IsPacked():
			var all [][]byte
			for len(content) > 0 {
				v, n := protowire.ConsumeVarint(content)
				if n < 0 {
					return nil, fmt.Errorf("%s: %w", known.FullName(), protowire.ParseError(n))
				}
				all = append(all, protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), v))
				content = content[n:]
			}
			return all, nil
		}
		return [][]byte{protowire.AppendBytes(tag, content)}, nil
	}
	return [][]byte{append(tag, value...)}, nil
}

package notes

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// members are members of an object that this version does not know.
type members map[string]json.RawMessage

// unknown returns the members of an object other than the known ones; nil if there are none.
func unknown(object []byte, known ...string) members {
	var all members
	if json.Unmarshal(object, &all) != nil {
		return nil
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return slices.Contains(known, name) })
	if len(all) == 0 {
		return nil
	}
	return all
}

// appendTo returns a value as a JSON object, with the members appended in order of their names.
func (m members) appendTo(value any) ([]byte, error) {
	b, err := encode(value)
	if err != nil || len(m) == 0 {
		return b, err
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		key, err := encode(name)
		if err != nil {
			return nil, err
		}
		var value bytes.Buffer
		if err := json.Compact(&value, m[name]); err != nil {
			return nil, err
		}
		b = append(b[:len(b)-1], ',')
		b = append(append(append(b, key...), ':'), value.Bytes()...)
		b = append(b, '}')
	}
	return b, nil
}

// encode returns a value as JSON in one line; unlike json.Marshal it leaves < and > as they are.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

func toBool(value ref.Val) (bool, error) {
	b, ok := value.(types.Bool)
	if !ok {
		return false, fmt.Errorf("the value must be true or false, but is of the type %s", value.Type().TypeName())
	}
	return bool(b), nil
}

func toName(value ref.Val) (string, error) {
	s, ok := value.(types.String)
	switch {
	case !ok:
		return "", fmt.Errorf("the value must be a string, but is of the type %s", value.Type().TypeName())
	case s == "":
		return "", errors.New("the value is an empty string, which is no name")
	}
	return string(s), nil
}

func toMap(value ref.Val) (map[string]any, error) {
	m, ok := value.(traits.Mapper)
	if !ok {
		return nil, fmt.Errorf("the value must be a map, but is of the type %s", value.Type().TypeName())
	}
	if written(maxMadeBytes, m) > maxMadeBytes {
		return nil, fmt.Errorf("the value has more than %d MiB", maxMadeBytes>>20)
	}
	return mapOf(m)
}

// mapOf copies a map, as JSON has it.
func mapOf(m traits.Mapper) (map[string]any, error) {
	made := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("the keys of a map must be strings, but one is of the type %s", key.Type().TypeName())
		}
		value, err := plain(m.Get(key))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", string(name), err)
		}
		made[string(name)] = value
	}
	return made, nil
}

func listOf(l traits.Lister) ([]any, error) {
	made := []any{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		value, err := plain(it.Next())
		if err != nil {
			return nil, err
		}
		made = append(made, value)
	}
	return made, nil
}

// plain makes a value of JSON of one of CEL.
func plain(value ref.Val) (any, error) {
	switch v := value.(type) {
	case types.Null:
		return nil, nil
	case types.Bool, types.String, types.Int, types.Double:
		return v.Value(), nil
	case traits.Mapper:
		return mapOf(v)
	case traits.Lister:
		return listOf(v)
	default:
		return nil, fmt.Errorf("a value of the type %s is not JSON; string(...) may help", value.Type().TypeName())
	}
}

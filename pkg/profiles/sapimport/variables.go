// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Variables looks up a variable of the environment of the controller.
type Variables func(name string) (value string, ok bool)

// ParseEnv reads a file of lines such as NAME=value. Empty lines, and those that begin with "#", are left out. A value is
// all that comes after the first "=": quotes belong to it.
func ParseEnv(file string, text []byte) (Variables, error) {
	values := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("%s:%d: must be as in NAME=value", file, number)
		}
		values[name] = value
	}
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}, nil
}

// expand resolves the variables of a text: ${V}, ${V:default}, ${V:?error} and ${V:+instead}; $$ stands for $. It says
// whether there was one.
func (v Variables) expand(text string) (value string, expanded bool, err error) {
	var out strings.Builder
	for text != "" {
		at := strings.IndexByte(text, '$')
		if at < 0 || at == len(text)-1 {
			break
		}
		out.WriteString(text[:at])
		text = text[at:]
		switch text[1] {
		case '$':
			out.WriteByte('$')
			text = text[2:]
		case '{':
			end := closing(text)
			if end < 0 {
				return "", false, errors.New(`a variable that begins with "${" must end with "}"`)
			}
			resolved, err := v.resolve(text[2:end])
			if err != nil {
				return "", false, err
			}
			out.WriteString(resolved)
			text, expanded = text[end+1:], true
		default:
			out.WriteByte('$')
			text = text[1:]
		}
	}
	return out.String() + text, expanded, nil
}

// closing returns where the variable that a text begins with ends: variables may stand within each other.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch {
		case strings.HasPrefix(text[i:], "${"):
			depth++
		case text[i] == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// resolve returns the value of what is between the braces.
func (v Variables) resolve(inner string) (string, error) {
	name, rest, operator := strings.Cut(inner, ":")
	name, _, err := v.expand(name)
	if err != nil {
		return "", err
	}
	value, set := v(name)
	switch {
	case strings.HasPrefix(rest, "+") && !set:
		return "", nil
	case strings.HasPrefix(rest, "+"):
		return v.alternative(rest[1:])
	case set:
		return value, nil
	case strings.HasPrefix(rest, "?"):
		return "", fmt.Errorf("the variable %s is not set: %s", name, rest[1:])
	case operator:
		return v.alternative(rest)
	case strings.Contains(name, "."):
		return "", fmt.Errorf("${%s} refers to another key of the file, which is not supported: write its value", name)
	default:
		return "", fmt.Errorf("the variable %s is not set: add it to the file that --env-file names", name)
	}
}

func (v Variables) alternative(text string) (string, error) {
	value, _, err := v.expand(text)
	return value, err
}

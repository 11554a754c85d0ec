// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// gvalToken is a part of an expression of gval, the language of prometheusInstant: a number, a word, or a sign.
var gvalToken = regexp.MustCompile(`^(?:\s+|(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(&&|\|\||[<>=!]=|[-+*/()<>!?:]))`)

// gvalWords are the words that mean the same in CEL.
var gvalWords = map[string]bool{"value": true, "true": true, "false": true}

// celOfGval translates an expression of gval about value into CEL. All numbers of gval are floating point numbers, so
// that 1/2 is 0.5; they must be such in CEL, too.
func celOfGval(source string) (string, error) {
	var cel strings.Builder
	for rest := source; rest != ""; {
		match := gvalToken.FindStringSubmatch(rest)
		if match == nil {
			return "", fmt.Errorf("%q has no counterpart in CEL: "+
				"write the expression with value, numbers, ( ) + - * / < <= > >= == != && || ! and ?: alone", rest)
		}
		token, err := celOfToken(match)
		if err != nil {
			return "", err
		}
		cel.WriteString(token)
		rest = rest[len(match[0]):]
	}
	if strings.TrimSpace(cel.String()) == "" {
		return "", errors.New("must be an expression such as value <= 1")
	}
	return cel.String(), nil
}

func celOfToken(match []string) (string, error) {
	switch number, word := match[1], match[2]; {
	case number != "":
		return celNumber(number)
	case word != "" && !gvalWords[word]:
		return "", fmt.Errorf("%s is not known: the only variable is value", word)
	default:
		return match[0], nil
	}
}

// celNumber writes a number so that CEL takes it for a floating point number.
func celNumber(number string) (string, error) {
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return "", fmt.Errorf("%s is no number", number)
	}
	text := strconv.FormatFloat(value, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text, nil
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"fmt"
	"strconv"
	"strings"
)

// cronField is what may be written in one of the fields.
type cronField struct {
	name     string
	min, max int
	// names are other ways to write the numbers, the first for min.
	names []string
	// wraps is a last value that also means min: Sunday.
	wraps bool
}

// cronFields are the five fields in their order.
var cronFields = []cronField{
	{name: "minute", max: 59},
	{name: "hour", max: 23},
	{name: "day of the month", min: 1, max: 31},
	{name: "month", min: 1, max: 12, names: []string{
		"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
	}},
	{name: "day of the week", max: 7, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, wraps: true},
}

// parse returns a bit for each value that the text of the field matches.
func (f cronField) parse(text string) (uint64, error) {
	var bits uint64
	for _, part := range strings.Split(text, ",") {
		b, err := f.parsePart(part)
		if err != nil {
			return 0, fmt.Errorf("%s %q: %w", f.name, text, err)
		}
		bits |= b
	}
	return bits, nil
}

// parsePart returns the bits of one element of a list.
func (f cronField) parsePart(part string) (uint64, error) {
	values, stepText, stepped := strings.Cut(part, "/")
	low, high, err := f.parseRange(values)
	if err != nil {
		return 0, err
	}
	step := 1
	if stepped {
		if low == high {
			return 0, fmt.Errorf("a step needs * or a range before it, such as %d-%d/%s", f.min, f.last(), stepText)
		}
		if step, err = f.parseStep(stepText); err != nil {
			return 0, err
		}
	}
	var bits uint64
	for v := low; v <= high; v += step {
		bits |= 1 << v
	}
	return bits, nil
}

// parseRange returns the first and the last value of what is written before a step.
func (f cronField) parseRange(text string) (int, int, error) {
	if text == "*" {
		return f.min, f.last(), nil
	}
	lowText, highText, isRange := strings.Cut(text, "-")
	low, err := f.parseValue(lowText)
	if err != nil || !isRange {
		return low, low, err
	}
	high, err := f.parseValue(highText)
	if err != nil {
		return 0, 0, err
	}
	if f.wraps && high == f.min && low > high {
		high = f.max
	}
	if high < low {
		return 0, 0, fmt.Errorf("the range %s ends before it begins: use %d-%d,%d-%d", text, low, f.last(), f.min, high)
	}
	return low, high, nil
}

// parseValue returns a number, which may be written as a name.
func (f cronField) parseValue(text string) (int, error) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.min + i, nil
		}
	}
	n, err := parseDigits(text)
	if err != nil || n < f.min || n > f.max {
		return 0, fmt.Errorf("%q is not possible: use %s", text, f.possible())
	}
	return n, nil
}

// parseStep returns the number after a slash.
func (f cronField) parseStep(text string) (int, error) {
	n, err := parseDigits(text)
	if err != nil || n < 1 || n > f.last()-f.min {
		return 0, fmt.Errorf("the step %q is not possible: use 1 to %d", text, f.last()-f.min)
	}
	return n, nil
}

// last is the last value that means something of its own.
func (f cronField) last() int {
	if f.wraps {
		return f.max - 1
	}
	return f.max
}

// possible says which values the field may have.
func (f cronField) possible() string {
	values := fmt.Sprintf("* or %d to %d", f.min, f.max)
	if len(f.names) > 0 {
		values += fmt.Sprintf(", or %s to %s", f.names[0], f.names[len(f.names)-1])
	}
	return values
}

// parseDigits parses a number that has nothing but digits.
func parseDigits(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// need says whether a key must be set.
type need bool

const (
	required need = true
	optional need = false
)

// text returns a text, with its variables resolved.
func (b *block) text(name string, n need) string {
	f := b.take(name)
	if f == nil {
		return b.missing(name, n)
	}
	if f.value.Kind != yaml.ScalarNode {
		b.say(name, Unmapped, "must be a single value")
		return ""
	}
	value := b.scalar(name, f.value)
	if value == "" {
		return b.missing(name, n)
	}
	return value
}

func (b *block) missing(name string, n need) string {
	if n == required && !b.broken(name) {
		b.say(name, Unmapped, "must be set")
	}
	return ""
}

// broken says whether a key is reported as wrong already.
func (b *block) broken(name string) bool {
	f := b.find(name)
	return f != nil && b.doc.report.entries[f.at] != nil && b.doc.report.entries[f.at].Outcome == Unmapped
}

// scalar returns the text of a value. A number, or true or false, is as it is written.
func (b *block) scalar(name string, node *yaml.Node) string {
	if node.Tag != "!!str" {
		b.warnIfRead(name, node.Value, plainReading(node))
		return node.Value
	}
	value, expanded, err := b.doc.variables.expand(node.Value)
	if err != nil {
		b.say(name, Unmapped, err.Error())
		return ""
	}
	if expanded {
		b.warnIfRead(name, value, variableReading(value))
	} else {
		b.warnIfRead(name, value, plainReading(node))
	}
	return value
}

// warnIfRead says that the controller reads another value than is written. The value stays. It is not quoted: it may
// be a password. The words "taken over" are only for keys that mean the same, so that one can look for the others.
func (b *block) warnIfRead(name, value, reading string) {
	if reading != value && reading != "" {
		b.say(name, Changed, fmt.Sprintf("kept as written; the controller reads it as %s", reading))
	}
}

// flag returns true or false.
func (b *block) flag(name string, n need) bool {
	switch text := strings.ToLower(b.text(name, n)); text {
	case "true", "yes", "on", "t", "y":
		return true
	case "", "false", "no", "off", "f", "n":
		return false
	default:
		b.say(name, Unmapped, "must be true or false")
		return false
	}
}

// number returns a whole number from least to most; 0 if it is not set or wrong.
func (b *block) number(name string, n need, least, most int32) int32 {
	text := b.text(name, n)
	if text == "" {
		return 0
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value < int64(least) || value > int64(most) {
		b.say(name, Unmapped, fmt.Sprintf("must be a whole number from %d to %d", least, most))
		return 0
	}
	return int32(value)
}

// seconds returns a duration such as 1h30m in whole seconds, rounded up; 0 if it is not set or wrong.
func (b *block) seconds(name string, n need, most int64) int64 {
	text := b.text(name, n)
	if text == "" {
		return 0
	}
	duration, err := time.ParseDuration(text)
	if err != nil || duration <= 0 {
		b.say(name, Unmapped, "must be a duration with units, such as 90s or 1h30m, above 0")
		return 0
	}
	whole := int64(math.Ceil(duration.Seconds()))
	if time.Duration(whole)*time.Second != duration {
		b.say(name, Changed, fmt.Sprintf("rounded up to %ds", whole))
	}
	if whole > most {
		b.say(name, Unmapped, fmt.Sprintf("must be at most %s", time.Duration(most)*time.Second))
		return 0
	}
	return whole
}

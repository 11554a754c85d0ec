// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"errors"
	"fmt"
	"math/bits"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// cost says how many bytes a call makes at most with these arguments, and how many values it compares. It does so by their
// sizes alone, which takes less than the call.
type cost func(args []ref.Val) (made, steps int)

// maxNumber is how many bytes the text of a quantity or of a version may have: what is done with one is not counted.
const maxNumber = 256

// maxExponent is the largest exponent of a quantity, such as 1e18: Kubernetes works out all digits.
const maxExponent = 100

// costs has each function whose result, or whose work, can be larger than its arguments are. All others are listed in the
// test of this table.
var costs = map[string]cost{
	"_+_":                   added,
	"_<=_":                  ordered,
	"_<_":                   ordered,
	"_>=_":                  ordered,
	"_>_":                   ordered,
	"_==_":                  compared,
	"_!=_":                  compared,
	"@in":                   searched,
	"_in_":                  searched,
	"in":                    searched,
	"@sortByAssociatedKeys": sorted,
	"bytes":                 textTimes(1),
	"cel.@mapInsert":        inserted,
	"charAt":                textTimes(4), // as runes
	"contains":              scanned,
	"distinct":              unique,
	"endsWith":              ordered,
	"find":                  matched,
	"findAll":               func(a []ref.Val) (int, int) { _, steps := matched(a); return (text(a[0]) + 1) * valueBytes, steps },
	"flatten":               func(a []ref.Val) (int, int) { return deep(a[0], listsOnly) * valueBytes, 0 },
	"format":                formatted,
	"getEscapedPath":        urlTimes(3),
	"getQuery":              urlTimes(2 * valueBytes),
	"includes":              func(a []ref.Val) (int, int) { return searched([]ref.Val{a[1], a[0]}) },
	"indexOf":               found,
	"isQuantity":            quantity,
	"isSorted":              through,
	"join":                  joined,
	"lastIndexOf":           found,
	"lists.range":           ranged,
	"lowerAscii":            textTimes(1),
	"matches":               matched,
	"max":                   through,
	"min":                   through,
	"quantity":              quantity,
	"replace":               replaced,
	"reverse":               copied,
	"sets.contains":         crossed,
	"sets.equivalent":       crossed,
	"sets.intersects":       crossed,
	"size":                  scanned,
	"slice":                 copied,
	"sort":                  sorted,
	"split":                 split,
	"startsWith":            ordered,
	"string":                textTimes(1),
	"strings.quote":         textTimes(utf8.UTFMax),
	"substring":             textTimes(4), // as runes
	"sum":                   through,
	"trim":                  textTimes(1),
	"upperAscii":            textTimes(1),
	"url":                   textTimes(4),
	"optional.unwrap":       copied,
	"unwrapOpt":             copied,

	"bool":            parsed,
	"cidr":            parsed,
	"containsCIDR":    parsed,
	"containsIP":      parsed,
	"double":          parsed,
	"duration":        parsed,
	"format.named":    parsed,
	"getDate":         parsed,
	"getDayOfMonth":   parsed,
	"getDayOfWeek":    parsed,
	"getDayOfYear":    parsed,
	"getFullYear":     parsed,
	"getHours":        parsed,
	"getMilliseconds": parsed,
	"getMinutes":      parsed,
	"getMonth":        parsed,
	"getSeconds":      parsed,
	"int":             parsed,
	"ip":              parsed,
	"ip.isCanonical":  parsed,
	"isCIDR":          parsed,
	"isIP":            parsed,
	"isSemver":        short,
	"isURL":           parsed,
	"semver":          short,
	"timestamp":       parsed,
	"uint":            parsed,
	"validate":        parsed,
}

// text returns how many bytes a text has; 0 if the value is none.
func text(value ref.Val) int {
	switch v := value.(type) {
	case types.String:
		return len(v)
	case types.Bytes:
		return len(v)
	default:
		return 0
	}
}

// items returns how many values a list or a map has; 0 if the value is none.
func items(value ref.Val) int {
	if sized, ok := value.(traits.Sizer); ok && isContainer(value) {
		if size, ok := sized.Size().(types.Int); ok {
			return int(size)
		}
	}
	return 0
}

func isContainer(value ref.Val) bool {
	switch value.(type) {
	case traits.Lister, traits.Mapper:
		return true
	default:
		return false
	}
}

// Whether deep looks into maps, too.
const (
	listsOnly = false
	mapsToo   = true
)

// textPerValue is how many bytes of a text are compared or looked through in the time of a value.
const textPerValue = 1024

// deep counts the values in a value, with those of its values, and the value itself. Long texts count more than once. It stops where it is too much for any
// call: a value may contain another one many times, so that it has more values than could ever be counted.
func deep(value ref.Val, maps bool) int {
	return deepTo(maxSteps+1, value, maps)
}

func deepTo(limit int, value ref.Val, maps bool) int {
	count := 1 + text(value)/textPerValue
	each := func(it traits.Iterator, of func(ref.Val) ref.Val) {
		for count < limit && it.HasNext() == types.True {
			count += deepTo(limit-count, of(it.Next()), maps)
		}
	}
	switch v := value.(type) {
	case traits.Mapper:
		if maps {
			each(v.Iterator(), v.Get)
		}
	case traits.Lister:
		each(v.Iterator(), func(item ref.Val) ref.Val { return item })
	}
	return count
}

// deepest returns the largest number of values in one value of a list. It stops where all of them have more than any call may
// compare.
func deepest(list ref.Val) int {
	most, all := 1, 0
	if l, ok := list.(traits.Lister); ok {
		for it := l.Iterator(); it.HasNext() == types.True; {
			one := deepTo(maxSteps+1-all, it.Next(), mapsToo)
			if all += one; all > maxSteps {
				return maxSteps + 1
			}
			most = max(most, one)
		}
	}
	return most
}

// added counts the whole list that "+" gives, although CEL makes it only when it is needed: one that is added to itself again
// and again would have more values than anything could ever go through. A loop adds to its own list in place.
func added(a []ref.Val) (made, steps int) {
	made = text(a[0]) + text(a[1]) + items(a[1])*valueBytes
	if _, inPlace := a[0].(traits.MutableLister); !inPlace {
		made += items(a[0]) * valueBytes
	}
	return made, 0
}

// parsed is for functions that read a text: what cannot be read is quoted in an error, more than once.
func parsed(a []ref.Val) (made, steps int) {
	const perByte = 16
	for _, arg := range a {
		made += perByte * text(arg)
	}
	return made, 0
}

func textTimes(factor int) cost {
	return func(a []ref.Val) (int, int) { return factor * text(a[0]), 0 }
}

func urlTimes(factor int) cost {
	return func(a []ref.Val) (int, int) {
		if u, ok := a[0].Value().(*url.URL); ok {
			return factor * (len(u.Path) + len(u.RawQuery)), 0
		}
		return 0, 0
	}
}

func copied(a []ref.Val) (made, steps int) { return items(a[0]) * valueBytes, 0 }

func compared(a []ref.Val) (made, steps int) {
	if !isContainer(a[0]) || !isContainer(a[1]) || items(a[0]) != items(a[1]) {
		return ordered(a)
	}
	return 0, deep(a[0], mapsToo)
}

// ordered is for two texts of which the shorter one is looked through.
func ordered(a []ref.Val) (made, steps int) { return 0, min(text(a[0]), text(a[1])) / textPerValue }

// scanned is for a text that is looked through as a whole.
func scanned(a []ref.Val) (made, steps int) { return 0, text(a[0]) / textPerValue }

// through is for a list that is gone through once.
func through(a []ref.Val) (made, steps int) { return 0, deep(a[0], listsOnly) }

// sorted is for a list that is sorted by itself, or by the keys after it.
func sorted(a []ref.Val) (made, steps int) {
	const comparisonsPerValue = 4
	return items(a[0]) * valueBytes, deep(a[len(a)-1], listsOnly) * bits.Len(uint(items(a[0]))) / comparisonsPerValue
}

// searched is for "value in list".
func searched(a []ref.Val) (made, steps int) {
	if _, isMap := a[1].(traits.Mapper); isMap {
		return 0, 0
	}
	return 0, items(a[1]) * deep(a[0], mapsToo)
}

func found(a []ref.Val) (made, steps int) {
	if isContainer(a[0]) {
		return searched([]ref.Val{a[1], a[0]})
	}
	return 4 * text(a[0]), 0 // as runes
}

func unique(a []ref.Val) (made, steps int) {
	n, each := items(a[0]), deepest(a[0])
	if each == 1 { // they are found by their hashes
		return n * valueBytes, n
	}
	return n * valueBytes, n * n * each
}

func crossed(a []ref.Val) (made, steps int) {
	if pairs := items(a[0]) * items(a[1]); pairs > 0 {
		steps = pairs * deepest(a[0])
	}
	return 0, steps
}

func inserted(a []ref.Val) (made, steps int) {
	count := 1
	if len(a) == 2 {
		count = items(a[1])
	}
	if _, inPlace := a[0].(traits.MutableMapper); !inPlace {
		count += items(a[0])
	}
	return 2 * valueBytes * count, 0
}

func ranged(a []ref.Val) (made, steps int) {
	n, _ := a[0].(types.Int)
	return int(min(max(n, 0), maxMadeBytes)) * valueBytes, 0
}

func replaced(a []ref.Val) (made, steps int) {
	whole, isText := a[0].(types.String)
	old, oldIsText := a[1].(types.String)
	if !isText || !oldIsText {
		return 0, 0
	}
	count := strings.Count(string(whole), string(old))
	if len(a) > 3 {
		if n, isInt := a[3].(types.Int); isInt && n >= 0 {
			count = int(min(types.Int(count), n))
		}
	}
	return len(whole) + count*text(a[2]), 0
}

func split(a []ref.Val) (made, steps int) {
	whole, isText := a[0].(types.String)
	separator, separatorIsText := a[1].(types.String)
	if !isText || !separatorIsText {
		return 0, 0
	}
	return len(whole) + (strings.Count(string(whole), string(separator))+1)*valueBytes, 0
}

func joined(a []ref.Val) (made, steps int) {
	list, isList := a[0].(traits.Lister)
	if !isList {
		return 0, 0
	}
	for it := list.Iterator(); it.HasNext() == types.True && made <= maxMadeBytes; {
		made += text(it.Next())
	}
	if len(a) > 1 {
		made += items(a[0]) * text(a[1])
	}
	return made, 0
}

// digits follow the point in a format such as %.3f.
var digits = regexp.MustCompile(`\.[0-9]+`)

// longestNumber is how many bytes the longest number without a fraction has, with some more for quotes and braces.
const longestNumber = 320

func formatted(a []ref.Val) (made, steps int) {
	made = text(a[0])
	if format, isText := a[0].(types.String); isText {
		for _, precision := range digits.FindAllString(string(format), -1) {
			n, err := strconv.Atoi(precision[1:])
			if err != nil || n > maxMadeBytes {
				return maxMadeBytes + 1, 0
			}
			made += n
		}
	}
	return made + written(maxMadeBytes, a[1]), 0
}

// written returns how many bytes a value has at most once it is written, and stops at a limit.
func written(limit int, value ref.Val) int {
	made := longestNumber + 4*text(value)
	each := func(it traits.Iterator, of func(ref.Val) ref.Val) {
		for made <= limit && it.HasNext() == types.True {
			item := it.Next()
			made += 4*text(item) + written(limit-made, of(item))
		}
	}
	switch v := value.(type) {
	case traits.Mapper:
		each(v.Iterator(), v.Get)
	case traits.Lister:
		each(v.Iterator(), func(item ref.Val) ref.Val { return item })
	}
	return made
}

// short ends the evaluation if the text of a number is too long.
func short(a []ref.Val) (made, steps int) {
	if text(a[0]) > maxNumber {
		panic(interpreter.EvalCancelledError{Message: fmt.Sprintf("a quantity or a version has at most %d bytes", maxNumber)})
	}
	return parsed(a)
}

// quantity ends the evaluation if a quantity has too large an exponent, or is too long.
func quantity(a []ref.Val) (made, steps int) {
	source, _ := a[0].(types.String)
	if at := strings.LastIndexAny(string(source), "eE"); at >= 0 {
		exponent, err := strconv.Atoi(string(source[at+1:]))
		if errors.Is(err, strconv.ErrRange) || err == nil && (exponent > maxExponent || exponent < -maxExponent) {
			panic(interpreter.EvalCancelledError{Message: fmt.Sprintf("the exponent of a quantity must be from -%d to %d", maxExponent, maxExponent)})
		}
	}
	return short(a)
}

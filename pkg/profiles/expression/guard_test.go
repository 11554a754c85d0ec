// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
)

// cheap are the functions whose result, and whose work, is not larger than their arguments are, or has a bound of its own.
const cheap = `
	!_ -_ @turn @whole @not_strictly_false _%_ _&&_ _*_ _-_ _/_   _?._ _?_:_ _[?_] _[_]
	__not_strictly_false__ _||_ add allowed asApproximateFloat asInteger check compareTo dyn
	 error errored family fieldSelector first format.byte format.date format.datetime
	format.dns1035Label format.dns1035LabelPrefix format.dns1123Label format.dns1123LabelPrefix
	format.dns1123Subdomain format.dns1123SubdomainPrefix format.labelValue format.qualifiedName format.uri
	format.uuid getHost getHostname getPort getScheme group hasValue isGlobalUnicast isGreaterThan isInteger
	isLessThan isLinkLocalMulticast isLinkLocalUnicast isLoopback isUnspecified labelSelector last
	major masked  minor name namespace optional.none optional.of optional.ofNonZeroValue or orValue
	patch path prefixLength reason resource serviceAccount sign  sub subresource type
	value
`

// A function that a newer library brings has a row in costs, or is shown to need none.
func TestEachFunctionHasACost(t *testing.T) {
	known := strings.Fields(cheap)
	var missing []string
	for name := range Patch.envs().StoredExpressionsEnv().Functions() {
		if costs[name] == nil && !slices.Contains(known, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("is what these make, or compare, bounded by their arguments? %s", strings.Join(missing, " "))
	}
	functions := slices.Collect(maps.Keys(Patch.envs().StoredExpressionsEnv().Functions()))
	for name := range costs {
		if !slices.Contains(functions, name) {
			t.Errorf("no function is called %s", name)
		}
	}
}

// maxAllocated is how much an evaluation may allocate in all, with what CEL itself needs: values in lists, mostly, which are
// larger under the race detector. What is not counted makes gigabytes.
const maxAllocated = 32 * maxMadeBytes

// bombs are expressions of a few bytes that would make gigabytes, or compare for minutes.
var bombs = map[string]string{
	"replace in maps": `[node.metadata.name].map(a,a.replace('','` + strings.Repeat("x", 82) + `')).map(a,a.replace('','` + strings.Repeat("x", 82) +
		`')).map(a,a.replace('x','` + strings.Repeat("y", 70) + `')).map(a,a.replace('y','` + strings.Repeat("x", 70) + `')).map(a,a.replace('x','` +
		strings.Repeat("y", 70) + `')).size() > 0`,
	"sums of texts":        `[node.metadata.name]` + strings.Repeat(`.map(a, a + a)`, 40) + `.size() > 0`,
	"a range":              `lists.range(1000000000).size() > 0`,
	"literals in a loop":   `lists.range(50000).map(a, [a` + strings.Repeat(",1", 1000) + `]).size() > 0`,
	"maps in a loop":       `lists.range(50000).map(a, {'a': a` + strings.Repeat(", '' : 1", 100) + `}).size() > 0`,
	"lists in lists":       `[[node]]` + strings.Repeat(`.map(a, [a, a])`, 60) + `.flatten(60).size() > 0`,
	"sums of lists":        `[['']]` + strings.Repeat(`.map(a, a + a)`, 40) + `.exists(a, a.join() != '')`,
	"a search in sums":     `[['']]` + strings.Repeat(`.map(a, a + a)`, 40) + `.exists(a, 'x' in a)`,
	"distinct maps":        `lists.range(500)` + strings.Repeat(`.map(a, {'a': a, 'b': a})`, 13) + `.distinct().size() > 0`,
	"equal lists":          `[[node]]` + strings.Repeat(`.map(a, [a, a])`, 60) + `.all(a, a == dyn([a[0], a[1]]))`,
	"a list in itself":     `[[node]]` + strings.Repeat(`.map(a, [a, a])`, 60) + `.exists(a, a in [[a[0], a[1]]])`,
	"sets":                 `lists.range(20000).map(a, [a]).map(a, lists.range(100000)).exists(a, sets.contains(a, a.reverse()))`,
	"format":               `'%.999999999f'.format([1.5]) != ''`,
	"format of lists":      `[[node.metadata.name]]` + strings.Repeat(`.map(a, [a, a])`, 40) + `.exists(a, '%s'.format([a]) != '')`,
	"join":                 `[lists.range(20000).map(a, node.metadata.name)].exists(l, l.join('` + strings.Repeat("x", 500) + `') != '')`,
	"split":                `[node.metadata.name]` + strings.Repeat(`.map(a, a + a)`, 20) + `.exists(a, a.split('').size() > 0)`,
	"a regular expression": `node.metadata.name.matches('` + strings.Repeat(`\\pL{999}`, 300) + `')`,
	"one that is made":     `node.metadata.name.matches(node.metadata.name + '` + strings.Repeat(`\\pL{999}`, 300) + `')`,
	"regex on a long text": `[node.metadata.name]` + strings.Repeat(`.map(a, a + a)`, 14) + `.exists(a, a.matches('(n?){220}x$'))`,
	"found in a long text": `[node.metadata.name]` + strings.Repeat(`.map(a, a + a)`, 14) + `.exists(a, a.find('(n?){220}x$') != '')`,
	"wide ranges":          `node.metadata.name.matches('(?i)` + strings.Repeat(`[B-\\x{1e942}]`, 240) + `')`,
	"regexes in a loop":    `lists.range(1000).exists(a, ''.matches('(?i)[B-\\x{1e942}]' + string(a)))`,
	"classes in a loop":    `lists.range(9000).exists(a, ''.matches('` + strings.Repeat(`\\pL`, 20) + `' + string(a)))`,
	"classes":              `node.metadata.name.matches('` + strings.Repeat(`\\pL`, 900) + `')`,
	"broken regexes":       `lists.range(1000).exists(a, ''.matches('` + strings.Repeat(`\\pL`, 900) + `(' + string(a)))`,
	"copies":               `optional.of(1)` + strings.Repeat(`.optMap(a, a)`, 200) + `.hasValue()`,
	"copies of few":        `optional.of(1)` + strings.Repeat(`.optFlatMap(a, optional.of(a))`, 12) + `.hasValue()`,
	"copies, not CEL":      `optional.of(1)` + strings.Repeat(`.optMap(a, a)`, 200) + `.hasValue()+`,
	"copies of many":       `optional.of([1` + strings.Repeat(", 1", 900) + `])` + strings.Repeat(`.optMap(a, a)`, 5) + `.hasValue()`,
	"loops after loops":    `[1]` + strings.Repeat(`.map(a, [a, a])`, 180) + `.size() > 0`,
	"maps in maps":         `size(` + strings.Repeat(`{'a':`, 240) + `1` + strings.Repeat(`}`, 240) + `) > 0`,
	"an exponent":          `quantity('1e-2000000').isInteger()`,
	"texts that are none":  `lists.range(500).exists(a, isIP([node.metadata.name]` + strings.Repeat(`.map(a, a + a)`, 12) + `[0]))`,
	"a long loop":          `lists.range(150000).exists(a, a < 0)`,
	"a loop without calls": `lists.range(150000)` + strings.Repeat(`.filter(a, true)`, 20) + `.size() > 0`,
	"loops in a loop":      `lists.range(2000).all(a, lists.range(2000).all(b, a != b || true))`,
	"long texts in a loop": `[node.metadata.name]` + strings.Repeat(`.map(a, a + a)`, 14) + `.all(a, lists.range(9000).all(b, !a.contains('x')))`,
	"a search for one":     `[node.metadata.name]` + strings.Repeat(`.map(a, a + a)`, 14) + `.all(a, (a + 'x') in lists.range(90000).map(b, a + 'y'))`,
	"a maximum in a loop":  `lists.range(9000).all(a, lists.range(9000).max() > a - 1)`,
	"errors are ignored":   `lists.range(1000000000).size() > 0 || true`,
}

// What a few bytes ask for is refused when it is written or, at the latest, ends with an error before it takes memory.
func TestBombs(t *testing.T) {
	for name, source := range bombs {
		t.Run(name, func(t *testing.T) {
			var allocated uint64
			var err, refusal error
			if took := cputest.Time(t, func() {
				allocated, err = evaluated(t, source)
				refusal = Node.Validate(source)
			}); took > 3*maxTook {
				t.Errorf("it took %s of a processor, want at most %s", took, 3*maxTook)
			}
			if err == nil {
				t.Error("it has a value")
			}
			t.Logf("%d KiB: %v", allocated>>10, err)
			if refusal == nil {
				t.Error("it may be written")
			}
			if allocated > maxAllocated {
				t.Errorf("it allocated %d MiB, want at most %d", allocated>>20, maxAllocated>>20)
			}
		})
	}
}

// Evaluations that share a budget stop once it is used up, also those that would be short alone.
func TestBudgetIsShared(t *testing.T) {
	program, err := Node.Compile(`lists.range(20000).exists(a, a < 0)`)
	if err != nil {
		t.Fatal(err)
	}
	in, refused := Input{Node: map[string]any{}, Budget: NewBudget(1)}, 0
	for range 64 {
		if _, err = program.Evaluate(t.Context(), in); err != nil {
			refused++
		}
	}
	var tooMuch *Error
	if refused < 50 || refused == 64 || !errors.As(err, &tooMuch) || !strings.Contains(err.Error(), "all expressions together") {
		t.Errorf("%d of 64 were refused, the last one with %v; want most of them, since they take too much together", refused, err)
	}
}

// evaluated returns how many bytes were allocated to evaluate an expression that was stored, with names of 63 characters.
func evaluated(t testing.TB, source string) (allocated uint64, err error) {
	t.Helper()
	in := Input{Node: map[string]any{"metadata": map[string]any{"name": strings.Repeat("n", 63)}}}
	return measured(func() error {
		program, err := Node.Compile(source)
		if err == nil {
			_, err = program.Evaluate(context.Background(), in)
		}
		return err
	})
}

// measured returns how many bytes were allocated meanwhile.
func measured(do func() error) (allocated uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// However many expressions there are, the programs that are kept have a bound.
func TestProgramsHaveABound(t *testing.T) {
	c := newProgramCache()
	for i := range 200 {
		key := cacheKey{"node", strings.Repeat(strconv.Itoa(i%10), 4000-i)}
		c.add(key, i)
		c.add(key, i)
		if _, kept := c.Get(key); !kept || c.bytes > maxCachedBytes {
			t.Fatalf("kept %t, %d bytes in all", kept, c.bytes)
		}
	}
	if want := maxCachedBytes/4000 - 1; c.Len() < want {
		t.Errorf("%d programs are kept, want at least %d", c.Len(), want)
	}
}

// FuzzEvaluate looks for expressions that panic, or take more memory than one may. CI tries the examples alone.
func FuzzEvaluate(f *testing.F) {
	for _, source := range bombs {
		f.Add(source)
	}
	f.Add(`{'a': [node.metadata.name].map(a, {a: a}), 'b': node}`)
	f.Add(`{'a': {b'abc': 1}}`)
	f.Add(`url('https://' + node.metadata.name + '/?a=b').getQuery()['a'].join(',').split(',').distinct().sort().slice(0, 1) == []`)
	f.Add(`optional.of(node.metadata.name).orValue('').replace('n', 'm', 2).substring(1).lowerAscii().find('m+') != ''`)
	f.Fuzz(func(t *testing.T, source string) {
		_ = Patch.Validate(source)
		allocated, err := evaluated(t, source)
		if most := uint64(maxAllocated + 64<<20); allocated > most {
			t.Errorf("%d MiB, want at most %d: %v", allocated>>20, most>>20, err)
		}
	})
}

// CEL panics while it compiles a map with keys that no map has.
func TestCompilePanicIsAnError(t *testing.T) {
	const source = `{b'abc': 1}.size() > 0`
	if err := Node.Validate(source); err == nil || !strings.Contains(err.Error(), "CEL cannot compile it") {
		t.Errorf("got %v, want that CEL cannot compile it", err)
	}
	if _, err := Node.Compile(source); err == nil {
		t.Error("it was compiled")
	}
}

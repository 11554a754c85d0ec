// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
)

var (
	randomRuns = flag.Int("random.runs", 400, "how many random templates TestRandomTemplates renders")
	randomSeed = flag.Int64("random.seed", 0, "the seed of the only one; 0: all")
)

const (
	// maxAllocated is how many bytes it takes at most to parse and render a template, about a node as large as one may be.
	maxAllocated = 32 << 20
	// maxTook is how much time of a processor that takes at most, with the race detector.
	maxTook = 2 * time.Second
)

// FuzzRender looks for templates that panic, go on for long, or make much. CI tries the examples alone.
func FuzzRender(f *testing.F) {
	for _, source := range []string{
		"", "{{ .State }}", "{{ .Profile.Current }}", "{{ range $i, $x := .Checks }}{{ $i }}{{ .name }}{{ end }}",
		"{{ range .Node.spec.taints }}{{ range $.Node.spec.taints }}{{ .key }}{{ else }}b{{ end }}{{ end }}",
		`{{ with $x := index .Node "spec" }}{{ len $x | printf "%.2f" }}{{ else with .State }}{{ . }}{{ end }}`,
		`{{ if and (eq .State "a") (not .InMaintenance) }}{{ html .Checks }}{{ break }}{{ end }}`,
		`{{ $x := "a" }}{{ $x = print $x $x | js }}{{ slice $x 1 2 }}{{ (index .Checks "a").name }}`,
		`{{ template "a" }}{{ define "a" }}{{ end }}`, "{{ range 5 }}{{ end }}", `{{ printf "%[1]*d" 5 }}`,
	} {
		f.Add(source, 0)
		f.Add(source, int(message.Slack))
	}
	data := largeData()
	f.Fuzz(func(t *testing.T, source string, format int) { wantBounded(t, source, message.Format(format%3), data) })
}

// Random templates of all functions that templates may call, about a large node.
func TestRandomTemplates(t *testing.T) {
	data, parsed, most := largeData(), 0, uint64(0)
	for seed := uint64(1); seed <= uint64(*randomRuns); seed++ {
		if *randomSeed != 0 && seed != uint64(*randomSeed) {
			continue
		}
		random := rand.New(rand.NewPCG(seed, 0))
		source := (&maker{random}).list(2 + random.IntN(4))
		parses, allocated := wantBounded(t, source, message.Format(random.IntN(3)), data)
		if most = max(most, allocated); parses {
			parsed++
		}
		if t.Failed() {
			t.Fatalf("repeat it with -random.seed=%d", seed)
		}
	}
	if *randomSeed == 0 && parsed < *randomRuns/4 {
		t.Errorf("%d of %d templates could be parsed: too few to tell", parsed, *randomRuns)
	}
	t.Logf("%d of %d templates could be parsed; at most %d KiB", parsed, *randomRuns, most>>10)
}

// wantBounded says whether the template can be parsed, and how many bytes were allocated, and wants it to take no more than
// it may.
func wantBounded(t *testing.T, source string, format message.Format, data message.Data) (parses bool, allocated uint64) {
	t.Helper()
	var text string
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := cputest.Time(t, func() {
		template, err := message.Parse(source, format)
		if parses = err == nil; parses {
			text, _ = template.Render(data)
		}
	})
	runtime.ReadMemStats(&after)
	allocated = after.TotalAlloc - before.TotalAlloc
	if took > maxTook || allocated > maxAllocated || len(text) > v1beta1.MaxRenderedBytes || !utf8.ValidString(text) {
		t.Errorf("Render(%q) took %s and %d KiB, and made %d bytes, valid: %v", source, took, allocated>>10, len(text), utf8.ValidString(text))
	}
	return parses, allocated
}

// largeData are those about a node with as much as one may have.
func largeData() message.Data {
	large := data()
	annotations, taints := map[string]any{"long": strings.Repeat("<x", 100<<10)}, []any{}
	for i := range 2000 {
		annotations[fmt.Sprintf("example.com/a-%d", i)] = strings.Repeat("v", 20)
	}
	for i := range 500 {
		taints = append(taints, map[string]any{"key": fmt.Sprint("k", i), "value": "v", "effect": "NoSchedule"})
	}
	large.Node["metadata"].(map[string]any)["annotations"] = annotations
	large.Node["spec"] = map[string]any{"taints": taints}
	for i := range v1beta1.MaxProfileChecks {
		large.Checks = append(large.Checks, v1beta1.CheckStatus{Name: fmt.Sprint("c", i), Message: strings.Repeat("&", v1beta1.MaxProfileMessageBytes)})
	}
	return large
}

// maker makes random templates.
type maker struct{ random *rand.Rand }

func (m *maker) pick(from ...string) string { return from[m.random.IntN(len(from))] }

// list makes what is between two actions.
func (m *maker) list(depth int) string {
	var made strings.Builder
	for range 1 + m.random.IntN(3) {
		made.WriteString(m.node(depth))
	}
	return made.String()
}

func (m *maker) node(depth int) string {
	if depth <= 0 {
		return m.pick("x", "{{ . }}", fmt.Sprintf("{{ %s }}", m.pipe(1)))
	}
	switch m.random.IntN(8) {
	case 0:
		return fmt.Sprintf("{{ if %s }}%s{{ else }}%s{{ end }}", m.pipe(depth), m.list(depth-1), m.list(depth-1))
	case 1:
		return fmt.Sprintf("{{ with %s }}%s{{ end }}", m.pipe(depth), m.list(depth-1))
	case 2, 3, 4:
		over := m.pick("$.Node.spec.taints", "$.Checks", "$.Node.metadata.annotations", ".")
		return fmt.Sprintf("{{ range %s%s }}%s{{ end }}", m.pick("", "$i, $y := "), over, m.list(depth-1))
	case 5:
		return fmt.Sprintf("{{ $x := %s }}%s{{ $x }}", m.pipe(depth), m.list(depth-1))
	case 6:
		return fmt.Sprintf("{{ $x := $.State }}%s{{ $x }}", strings.Repeat("{{ $x = "+m.pick("print $x $x", "html $x", "js $x | js", "urlquery $x", `printf "%q%v" $x $x`)+" }}", m.random.IntN(40)))
	default:
		return fmt.Sprintf("{{ %s }}", m.pipe(depth))
	}
}

func (m *maker) pipe(depth int) string {
	made := m.command(depth)
	for m.random.IntN(3) == 0 {
		made += " | " + m.pick("html", "js", "urlquery", "len", "print", "printf \"%v\"", "println", "not", "print $", "printf \"%v %v\" $.Node")
	}
	return made
}

func (m *maker) command(depth int) string {
	value := func() string {
		if depth > 0 && m.random.IntN(3) == 0 {
			return "(" + m.pipe(depth-1) + ")"
		}
		return m.pick("$", ".", "$.Node", "$.Checks", "$.State", "$.Node.metadata.annotations", "$.Node.metadata.annotations.long", "$.Node.spec.taints", `"a"`, "1", "1000000000", "true", "$.Profile.Last")
	}
	switch m.random.IntN(4) {
	case 0:
		return value()
	case 1:
		return m.pick("and", "or", "eq", "ne", "lt", "le", "print", "println", "html", "js", "urlquery") + " " + value() + " " + value()
	case 2:
		return m.pick("index", "slice") + " " + value() + " " + value()
	default:
		return m.pick(`printf "%v %v"`, `printf "%x %q"`, `printf "%#v%+v"`, "len", "not", "print", "html", "js") + " " + value()
	}
}

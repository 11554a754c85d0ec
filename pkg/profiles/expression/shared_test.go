// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression_test

import (
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// FuzzParse looks for chains that panic, or whose error has no place or no words. CI tries the examples alone.
func FuzzParse(f *testing.F) {
	for _, source := range []string{
		"a", "a && !(b || a)", "a &&", "((a", "a.b", "'a' + \"b\"", "a ? b : 1", "// a", "[a, {b: 1}]", "a\n\t&& nope", "ä",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if !utf8.ValidString(source) {
			return
		}
		chain, err := expression.Parse(source, []string{"a", "b"})
		if (chain == nil) == (err == nil) {
			t.Fatalf("Parse(%q) = %v, %v, want one of them", source, chain, err)
		}
		if err == nil && len(chain.Names()) == 0 {
			t.Errorf("Parse(%q) has no names", source)
		}
	})
}

// Programs are shared by all nodes: with the race detector, this test finds what they would share too much of.
func TestProgramsAreSharedSafely(t *testing.T) {
	t.Parallel()
	in := expression.Input{Node: node(t), Response: pools, NodeCount: 3}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			program, err := expression.HTTP.Compile("response.json.size <= nodeCount && response.json.share < 1.0")
			if err != nil {
				t.Errorf("Compile() = %v", err)
				return
			}
			if got, err := program.Evaluate(t.Context(), in); err != nil || !got {
				t.Errorf("Evaluate() = %v, %v, want true", got, err)
			}
		})
	}
	all.Wait()
}

func BenchmarkNode(b *testing.B) {
	const source = `node.status.conditions.exists(c, c.type == "Ready" && c.status == "True")`
	in := expression.Input{Node: map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "DiskPressure", "status": "False"}, map[string]any{"type": "Ready", "status": "True"},
	}}}}
	b.Run("validate", func(b *testing.B) {
		for b.Loop() {
			if err := expression.Node.Validate(source); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			program, err := expression.Node.Compile(source)
			if err != nil {
				b.Fatal(err)
			}
			if got, err := program.Evaluate(b.Context(), in); err != nil || !got {
				b.Fatal(got, err)
			}
		}
	})
}

func BenchmarkChain(b *testing.B) {
	names := []string{"t", "u", "f"}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if _, err := expression.Parse("t && !(f || u)", names); err != nil {
				b.Fatal(err)
			}
		}
	})
	chain, err := expression.Parse("t && !(f || u)", names)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			chain.Evaluate(resultOf)
		}
	})
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
)

var (
	randomRuns = flag.Int("random.runs", defaultRandomRuns, "how many random expressions TestRandomExpressions evaluates")
	randomSeed = flag.Int64("random.seed", 0, "the seed of the only one; 0: all")
)

// Random expressions of all functions that there are, about large values. Whatever they are, an evaluation takes no more
// memory and time than it may. A new function of a library takes part by itself.
func TestRandomExpressions(t *testing.T) {
	node, objects := largeNode(), largeObjects()
	in := Input{
		Node: node, Object: objects[0], Objects: objects, NodeCount: 5000, Value: 0.5,
		Response: Response{Status: 200, Headers: map[string]string{"a": strings.Repeat("a, ", 1000)}, Body: strings.Repeat(`{"a": [1]} `, 90_000)},
	}
	compiled, valued, most, longest := 0, 0, uint64(0), time.Duration(0)
	for seed := uint64(1); seed <= uint64(*randomRuns); seed++ {
		if *randomSeed != 0 && seed != uint64(*randomSeed) {
			continue
		}
		m := newMaker(rand.New(rand.NewPCG(seed, 0)))
		source := fmt.Sprintf("{'a': %s}", m.make(types.DynType, 2+m.random.IntN(7)))
		if *randomSeed != 0 {
			t.Log(source)
		}
		var err error
		var allocated uint64
		took := cputest.Time(t, func() { allocated, err = allocatedBy(source, in) })
		if allocated > maxAllocated || took > maxTook {
			t.Errorf("-random.seed=%d: %d MiB and %s, want at most %d MiB and %s: %v\n%s",
				seed, allocated>>20, took, maxAllocated>>20, maxTook, err, source)
		}
		most, longest = max(most, allocated), max(longest, took)
		if _, refused := err.(*Error); err == nil || !refused { //nolint:errorlint // what Compile returns is not wrapped
			compiled++
		}
		if err == nil {
			valued++
		}
	}
	if *randomSeed == 0 && (compiled < *randomRuns/4 || valued < *randomRuns/20) {
		t.Errorf("%d of %d expressions could be evaluated, and %d had a value: too few to tell", compiled, *randomRuns, valued)
	}
	t.Logf("%d of %d expressions could be evaluated, and %d had a value; at most %d MiB, and %s",
		compiled, *randomRuns, valued, most>>20, longest.Round(time.Millisecond))
}

// allocatedBy returns how many bytes were allocated to evaluate a patch that was stored.
func allocatedBy(source string, in Input) (allocated uint64, err error) {
	return measured(func() error {
		program, err := Patch.program(source)
		if err != nil {
			return err
		}
		_, err = program.Evaluate(context.Background(), in)
		return err
	})
}

// largeNode is a node with as much as one may have.
func largeNode() map[string]any {
	annotations, conditions := map[string]any{"long": strings.Repeat("x", 200<<10)}, []any{}
	for i := range 2000 {
		annotations[fmt.Sprintf("example.com/a-%d", i)] = strings.Repeat("v", 20)
	}
	for i := range 500 {
		conditions = append(conditions, map[string]any{"type": fmt.Sprintf("T%d", i), "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"})
	}
	return map[string]any{
		"metadata": map[string]any{"name": strings.Repeat("n", 253), "annotations": annotations, "labels": map[string]any{"a": "b", "c": ""}},
		"spec":     map[string]any{"taints": conditions[:50], "unschedulable": true},
		"status":   map[string]any{"conditions": conditions, "capacity": map[string]any{"cpu": "4", "memory": "16Gi"}},
	}
}

func largeObjects() []map[string]any {
	objects := make([]map[string]any, 2000)
	for i := range objects {
		objects[i] = map[string]any{
			"metadata": map[string]any{"name": fmt.Sprintf("o-%d", i), "labels": map[string]any{"a": fmt.Sprint(i)}},
			"status":   map[string]any{"ready": i%2 == 0, "replicas": int64(i), "load": 0.5},
		}
	}
	return objects
}

// leaves are expressions of types without more in them. What is mostly right is there more often.
var leaves = map[string][]string{
	"string": {
		"node.metadata.name", "node.metadata.name", "node.metadata.annotations.long", "'a'", "'a'", "','", "''", "'1'", "'(a+)+$'", "'[a-z]{50}'", "'.*'",
		"'%s'", "'%d %.9f %x'", "'" + strings.Repeat("y", 200) + "'",
	},
	"int":    {"0", "1", "2", "3", "7", "200", "20000", "1000000000", "-1", "size(node.status.conditions)"},
	"uint":   {"0u", "3u", "18446744073709551615u"},
	"double": {"0.0", "1.5", "-1e300", "1e-300"},
	"bool":   {"true", "false", "node.spec.unschedulable"},
	"bytes":  {"b'abc'", "bytes(node.metadata.name)"},
	"dyn":    {"node", "object.status.load", "object", "node.status.conditions", "null"},

	"list(string)":        {"['a', node.metadata.name]", "node.metadata.annotations.map(k, k)", "node.status.conditions.map(c, c.type)"},
	"list(int)":           {"[3, 1, 2]", "lists.range(2000)"},
	"list(list(int))":     {"[[3], [1, 2]]", "lists.range(200).map(i, lists.range(i))"},
	"list(list(string))":  {"[['']]", "[['a'], ['b', '']]"},
	"list(dyn)":           {"node.status.conditions", "node.spec.taints", "[node]", "[dyn(1), 'a', [2]]"},
	"map(string, dyn)":    {"node", "object", "object.status"},
	"map(string, string)": {"node.metadata.annotations", "node.metadata.labels"},

	"timestamp": {"timestamp('2026-01-01T00:00:00Z')"}, "duration": {"duration('1h')"},
	"kubernetes.Quantity": {"quantity('16Gi')", "quantity('1e90')"}, "kubernetes.Semver": {"semver('1.2.3')"},
	"kubernetes.URL": {"url('https://a/b?c=d&c=e')"}, "kubernetes.NamedFormat": {"format.dns1123Label()"},
	"net.IP": {"ip('10.0.0.1')"}, "net.CIDR": {"cidr('10.0.0.0/8')"},
}

// concrete are what types that may be any are.
var concrete = []*types.Type{
	types.StringType, types.StringType, types.IntType, types.BoolType, types.DoubleType, types.BytesType, types.NewListType(types.StringType),
	types.NewListType(types.StringType), types.NewListType(types.IntType), types.NewListType(types.NewListType(types.IntType)), types.NewListType(types.NewListType(types.StringType)), types.NewListType(types.DynType),
	types.NewMapType(types.StringType, types.DynType), types.NewMapType(types.StringType, types.StringType), types.NewOptionalType(types.StringType),
}

// maker makes random expressions.
type maker struct {
	random *rand.Rand
	// functions are the overloads of all functions, with their names.
	functions []function
	// variables are those of the loops around, by their types.
	variables map[string][]string
	loops     int
}

type function struct {
	name string
	*decls.OverloadDecl
}

func newMaker(random *rand.Rand) *maker {
	m := &maker{random: random, variables: map[string][]string{}}
	functions := Patch.envs().StoredExpressionsEnv().Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if strings.Contains(name, "@") && name != operators.In || strings.HasPrefix(name, "__") || name == operators.OptSelect || name == operators.OldIn || name == "in" {
			continue // nobody can write them
		}
		for _, overload := range functions[name].OverloadDecls() {
			m.functions = append(m.functions, function{name, overload})
		}
	}
	return m
}

func pick[T any](m *maker, from []T) T { return from[m.random.IntN(len(from))] }

// make makes an expression of a type.
func (m *maker) make(of *types.Type, depth int) string {
	if of.Kind() == types.DynKind || of.Kind() == types.TypeParamKind {
		if depth <= 0 || m.random.IntN(5) == 0 {
			return pick(m, append(leaves["dyn"], m.variables["dyn"]...))
		}
		of = pick(m, concrete)
	}
	simple := append(slices.Clone(leaves[of.String()]), m.variables[of.String()]...)
	simple = append(simple, m.variables[of.String()]...)
	switch {
	case len(simple) > 0 && (depth <= 0 || m.random.IntN(6) == 0):
		return pick(m, simple)
	case of.Kind() == types.ListKind && depth > 0 && m.random.IntN(2) == 0:
		return m.list(of.Parameters()[0], depth)
	case of.Kind() == types.BoolKind && depth > 0 && m.random.IntN(3) == 0:
		return m.loop(pick(m, concrete), types.BoolType, depth, "%s.all(%s, %s)", "%s.exists(%s, %s)", "%s.exists_one(%s, %s)")
	case of.Kind() == types.ListKind && depth <= 0:
		return fmt.Sprintf("[%s]", m.make(of.Parameters()[0], depth-1))
	case of.Kind() == types.MapKind && (depth <= 0 || m.random.IntN(4) == 0):
		return fmt.Sprintf("{%s: %s}", m.make(of.Parameters()[0], depth-1), m.make(of.Parameters()[1], depth-1))
	case of.Kind() == types.MapKind && m.random.IntN(3) == 0:
		return m.loop(of.Parameters()[0], of.Parameters()[1], depth, "%s.transformMap(i, %s, %s)")
	case depth > -3 && m.random.IntN(12) == 0:
		return m.bind(of, depth)
	}
	return m.call(of, depth)
}

// list makes a list by a loop over another one, or by several, each of which may make a little more than the one before.
func (m *maker) list(item *types.Type, depth int) string {
	switch m.random.IntN(6) {
	case 0:
		return m.loop(item, types.BoolType, depth, "%s.filter(%s, %s)")
	case 1:
		return m.loop(item, types.StringType, depth, "%s.sortBy(%s, %s)")
	case 2:
		made := m.make(types.NewListType(item), depth-1)
		grow := []string{"v"}
		switch item.Kind() {
		case types.StringKind:
			grow = []string{"v + v", "v + ',' + v", "v.replace('', 'xyz')", "v.replace('x', v)", "[v, v].join(v)", "'%s%s'.format([v, v])", "v + string(bytes(v))"}
		case types.ListKind:
			grow = []string{"v + v", "[v, v].flatten()", "v + v.reverse()", "(v + v).distinct()", "v.map(w, v[0])"}
		case types.DynKind:
			grow = []string{"[v, v]", "{'a': v, 'b': v}", "dyn([v]) + dyn([v])", "[[v]]"}
		}
		return made + strings.Repeat(fmt.Sprintf(".map(v, %s)", pick(m, grow)), 1+m.random.IntN(30))
	case 3:
		return fmt.Sprintf("[%s, %s]", m.make(item, depth-1), m.make(item, depth-1))
	default:
		return m.loop(pick(m, concrete), item, depth, "%s.map(%s, %s)", "%s.map(%s, %s)", "%s.transformList(i, %s, %s)")
	}
}

// loop makes a macro over a list of items, whose variable is known within it.
func (m *maker) loop(item, within *types.Type, depth int, macros ...string) string {
	over := m.make(types.NewListType(item), depth-1)
	m.loops++
	variable, kind := fmt.Sprintf("v%d", m.loops), item.String()
	m.variables[kind] = append(m.variables[kind], variable, variable, variable)
	made := fmt.Sprintf(pick(m, macros), over, variable, m.make(within, depth-1))
	m.variables[kind] = m.variables[kind][:len(m.variables[kind])-3]
	return made
}

// bind gives a value a name, so that it is used more than once.
func (m *maker) bind(of *types.Type, depth int) string {
	item := pick(m, concrete)
	value := m.make(item, depth-1)
	m.loops++
	variable, kind := fmt.Sprintf("b%d", m.loops), item.String()
	m.variables[kind] = append(m.variables[kind], variable, variable, variable)
	made := fmt.Sprintf("cel.bind(%s, %s, %s)", variable, value, m.make(of, depth-1))
	m.variables[kind] = m.variables[kind][:len(m.variables[kind])-3]
	return made
}

// call makes a call of a function that gives the type.
func (m *maker) call(of *types.Type, depth int) string {
	var f function
	var bound map[string]*types.Type
	for tries := 0; ; tries++ {
		f, bound = pick(m, m.functions), map[string]*types.Type{}
		if unify(f.ResultType(), of, bound) && (depth > -2 || len(f.ArgTypes()) < 2 || tries > 2000) {
			break
		}
		if tries > 4000 {
			return "dyn(1)"
		}
	}
	args := make([]string, 0, len(f.ArgTypes()))
	for _, arg := range f.ArgTypes() {
		args = append(args, m.make(m.bound(arg, bound), depth-1))
	}
	symbol, isOperator := operators.FindReverse(f.name)
	switch {
	case f.name == operators.Conditional:
		return fmt.Sprintf("(%s ? %s : %s)", args[0], args[1], args[2])
	case f.name == operators.Index:
		return fmt.Sprintf("%s[%s]", args[0], args[1])
	case f.name == operators.OptIndex:
		return fmt.Sprintf("%s[?%s]", args[0], args[1])
	case isOperator && len(args) == 2:
		return fmt.Sprintf("(%s %s %s)", args[0], symbol, args[1])
	case isOperator:
		return fmt.Sprintf("%s(%s)", symbol, args[0])
	case f.IsMemberFunction():
		return fmt.Sprintf("%s.%s(%s)", args[0], f.name, strings.Join(args[1:], ", "))
	default:
		return fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
	}
}

// unify says whether a type with parameters can be another one, and which types the parameters are then.
func unify(pattern, of *types.Type, bound map[string]*types.Type) bool {
	switch {
	case pattern.Kind() == types.TypeParamKind:
		if known := bound[pattern.TypeName()]; known != nil {
			return known.String() == of.String()
		}
		bound[pattern.TypeName()] = of
		return true
	case pattern.Kind() != of.Kind() || pattern.TypeName() != of.TypeName() || len(pattern.Parameters()) != len(of.Parameters()):
		return false
	}
	for i, parameter := range pattern.Parameters() {
		if !unify(parameter, of.Parameters()[i], bound) {
			return false
		}
	}
	return true
}

// bound is a type with its parameters as they are bound. Others are any type, but the same one everywhere.
func (m *maker) bound(of *types.Type, bound map[string]*types.Type) *types.Type {
	parameters := of.Parameters()
	switch of.Kind() {
	case types.TypeParamKind:
		if bound[of.TypeName()] == nil {
			bound[of.TypeName()] = pick(m, concrete)
		}
		return bound[of.TypeName()]
	case types.ListKind:
		return types.NewListType(m.bound(parameters[0], bound))
	case types.MapKind:
		return types.NewMapType(m.bound(parameters[0], bound), m.bound(parameters[1], bound))
	case types.OpaqueKind:
		if of.TypeName() == "optional_type" {
			return types.NewOptionalType(m.bound(parameters[0], bound))
		}
	}
	return of
}

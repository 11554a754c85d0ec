// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	baseversion "k8s.io/component-base/version"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Value is what the value of an expression can be.
type Value interface{ bool | string | map[string]any }

// Environment says what an expression can see, and what its value is. All of them have the functions of Kubernetes' own
// expressions.
type Environment[T Value] struct {
	declaration
	// convert makes the value that is asked for of what CEL has made.
	convert func(ref.Val) (T, error)
}

// declaration is what does not depend on the type of the value.
type declaration struct {
	name string
	// most is how many bytes an expression has at most.
	most int
	// value is the type that an expression must have, and mustBe says so to people.
	value  *cel.Type
	mustBe string
	// variables are what it can see, with their types.
	variables []variable
	types     []*apiservercel.DeclType
	// mixed says that lists and maps in the expression may mix types, as JSON does.
	mixed bool
	// samples are inputs with one of which at least an expression must have a value, or it would never have one.
	samples []Input
	// envs are made when they are needed first, which takes milliseconds.
	envs func() *environment.EnvSet
}

type variable struct {
	name string
	kind *cel.Type
	of   func(Input) any
}

// The environments.
var (
	// Node is for the check node: the variable node. The value is true or false.
	Node = condition("node", nodeVariable)
	// Object is for the check object with nameExpression: the variables node and object. The value is true or false.
	Object = condition("object", nodeVariable, objectVariable)
	// Objects is for the check object with selector: the variables node and objects, a list. The value is true or false.
	Objects = condition("objects", nodeVariable, objectsVariable)
	// HTTP is for the check http: the variables response, with status, headers (their names in lower case), body and json,
	// and nodeCount. The value is true or false.
	HTTP = withTypes(condition("http", responseVariable, nodeCountVariable), responseType)
	// Prometheus is for the check prometheus: the variable value, a number. The value is true or false.
	Prometheus = withSamples(condition("prometheus", valueVariable), Input{Value: 0}, Input{Value: 0.5}, Input{Value: 2})
	// Name is for nameExpression: the variable node. The value is a string that is not empty.
	Name = newEnvironment(declaration{
		name: "name", most: v1beta1.MaxNameExpressionBytes, value: cel.StringType, mustBe: "a string",
		variables: []variable{nodeVariable},
	}, toName)
	// Patch is for patchExpression: the variables node and object. The value is a map, as JSON has it: its lists and maps
	// may mix types.
	Patch = newEnvironment(declaration{
		name: "patch", most: v1beta1.MaxExpressionBytes, value: cel.MapType(cel.StringType, cel.DynType),
		mustBe: "a map with strings as keys", variables: []variable{nodeVariable, objectVariable}, mixed: true,
	}, toMap)
)

func condition(name string, variables ...variable) *Environment[bool] {
	return newEnvironment(declaration{
		name: name, most: v1beta1.MaxExpressionBytes, value: cel.BoolType, mustBe: "true or false", variables: variables,
	}, toBool)
}

func withTypes[T Value](e *Environment[T], types ...*apiservercel.DeclType) *Environment[T] {
	e.types = types
	return e
}

func withSamples[T Value](e *Environment[T], samples ...Input) *Environment[T] {
	e.samples = samples
	return e
}

func newEnvironment[T Value](d declaration, convert func(ref.Val) (T, error)) *Environment[T] {
	e := &Environment[T]{declaration: d, convert: convert}
	e.envs = sync.OnceValue(e.build)
	return e
}

// kubernetesBefore is the version before that of the libraries: what it has is understood after a rollback, too. The
// version of this program, which the libraries would take, counts something else.
var kubernetesBefore = version.MustParse(baseversion.DefaultKubeBinaryVersion).SubtractMinor(1)

// build makes CEL's environments of Kubernetes' ones: one for new expressions, with the functions that the version before
// has, too, and one for expressions that were admitted already.
func (d *declaration) build() *environment.EnvSet {
	options := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), DeclTypes: d.types, EnvOptions: slices.Clone(countFunctions)}
	for _, v := range d.variables {
		options.EnvOptions = append(options.EnvOptions, cel.Variable(v.name, v.kind))
	}
	set, err := environment.MustBaseEnvSet(kubernetesBefore).Extend(options)
	if err != nil {
		panic(err) // only a wrong declaration above
	}
	return set
}

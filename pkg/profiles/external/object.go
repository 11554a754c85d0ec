// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"fmt"
	"strconv"

	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

func (w *watches) answer(check *v1beta1.ProfileCheck, of subject) (answer evaluation.Answer, known bool) {
	selected, err := selectionOf(check.Object)
	if err != nil {
		return failed("the check cannot be applied: %v", err), true
	}
	source, problem := w.state(selected)
	switch {
	case problem != "":
		answer = failed("%s", problem)
	case source == nil:
		return evaluation.Answer{}, false
	case of.node == nil:
		answer = failed("node %s does not exist", of.name)
	default:
		answer = w.judge(check.Object, source, of)
	}
	answer.Time = w.config.Clock.Now()
	return answer, true
}

// state returns what has the objects, or says why they cannot be read. It returns neither while they are not known yet.
func (w *watches) state(selected selection) (source *watched, problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.known[selected]
	if known == nil {
		return nil, w.refusal(selected)
	}
	ready := known.informer != nil && known.informer.HasSynced()
	switch {
	case known.trouble.matters(ready, w.config.Clock.Now()):
		return nil, known.explain(known.trouble.err)
	case !ready:
		return nil, ""
	}
	return known, ""
}

// refusal says why a selection is not watched although it is wanted; empty: it is not wanted.
func (w *watches) refusal(selected selection) string {
	for _, wanted := range w.refused {
		if wanted == selected {
			return tooMany()
		}
	}
	return ""
}

func (w *watches) judge(check *v1beta1.ObjectCheck, source *watched, of subject) evaluation.Answer {
	ctx := context.Background() // an expression takes a tenth of a second at most
	node, err := expression.NodeValue(of.node)
	if err != nil {
		return failed("%v", err)
	}
	if check.NameExpression == "" {
		return w.judgeAll(ctx, check, source, node)
	}
	key, err := keyOf(ctx, check, node)
	if err != nil {
		return failed("nameExpression has no value: %v", err)
	}
	object := source.object(key)
	switch {
	case object == nil && source.isElsewhere():
		return failed("%s are in namespaces: set namespace, since nameExpression names one object", source.selection)
	case object == nil:
		return missing(check, source.selection, key)
	}
	return judge(ctx, expression.Object, check.Expression, answered{
		input: expression.Input{Node: node, Object: object},
		said:  objectNamed(source.selection, key), info: map[string]string{"object": key},
	}, asItIs)
}

func (w *watches) judgeAll(
	ctx context.Context, check *v1beta1.ObjectCheck, source *watched, node map[string]any,
) evaluation.Answer {
	objects := w.objects(source)
	return judge(ctx, expression.Objects, check.Expression, answered{
		input: expression.Input{Node: node, Objects: objects},
		said:  fmt.Sprintf("%d of %s", len(objects), source.selection), info: map[string]string{"objects": strconv.Itoa(len(objects))},
	}, asItIs)
}

// asItIs leaves errors alone: objects have no secrets that an endpoint knows.
func asItIs(err error) error { return err }

// missing is the answer if there is no object of the name.
func missing(check *v1beta1.ObjectCheck, selected selection, key string) evaluation.Answer {
	answer := evaluation.Answer{
		Result: evaluation.Error, Message: sentence("there is no %s", objectNamed(selected, key)),
		Info: map[string]string{"object": key},
	}
	switch check.Missing {
	case v1beta1.MissingTrue:
		answer.Result = evaluation.True
	case v1beta1.MissingFalse:
		answer.Result = evaluation.False
	}
	return answer
}

func objectNamed(selected selection, key string) string {
	return fmt.Sprintf("object %q of %s", key, selected.GroupResource())
}

// objects returns all objects, which must not be changed.
func (w *watches) objects(source *watched) []map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return source.sorted()
}

// keyOf returns the key of the object that a check names, as informers have it.
func keyOf(ctx context.Context, check *v1beta1.ObjectCheck, node map[string]any) (string, error) {
	program, err := expression.Name.Compile(check.NameExpression)
	if err != nil {
		return "", err
	}
	name, err := program.Evaluate(ctx, expression.Input{Node: node})
	if err != nil {
		return "", err
	}
	return cache.NewObjectName(check.Namespace, name).String(), nil
}

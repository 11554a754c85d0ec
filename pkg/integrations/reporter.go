// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// eventProblem is the reason of a warning event on a node that an integration cannot go on with.
const eventProblem = "IntegrationFailed"

// maxProblem is the most bytes of a problem that an event has.
const maxProblem = 500

// Reporter tells people, in events of nodes and in the log, what an integration does and what keeps it.
type Reporter struct {
	recorder record.EventRecorder

	mu sync.Mutex
	// problems are those that were told, by node.
	problems map[string]string
}

// NewReporter returns a Reporter that writes events with the recorder.
func NewReporter(recorder record.EventRecorder) *Reporter {
	return &Reporter{recorder: recorder, problems: map[string]string{}}
}

// Did tells that something was done with a node.
func (r *Reporter) Did(ctx context.Context, node, reason, message string) {
	klog.FromContext(ctx).Info(message, "node", node)
	r.recorder.Event(reference(node), corev1.EventTypeNormal, reason, message)
}

// Result tells what keeps an integration from going on with a node, once while it stays the same; nil: nothing does.
func (r *Reporter) Result(ctx context.Context, node string, err error) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		delete(r.problems, node)
		return
	}
	klog.FromContext(ctx).Error(err, "Could not go on with a node", "node", node)
	if message := quote.Cut(err.Error(), maxProblem); r.problems[node] != message {
		r.problems[node] = message
		r.recorder.Event(reference(node), corev1.EventTypeWarning, eventProblem, message)
	}
}

func reference(node string) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node, UID: types.UID(node)}
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubectl/pkg/util/podutils"
)

const (
	// mostReplicas is how many replicas are listed at most. More would only be more that could stay.
	mostReplicas = 100
	// listTimeout bounds one list: other nodes with a replica wait for it.
	listTimeout = 5 * time.Second
)

// Facts are what is known of the pods that run this server, at one moment.
type Facts struct {
	Server
	// Replicas are these pods, sorted by name. They are known only if one of them is on the node that is
	// looked at.
	Replicas []Replica
	// Failure says why they are not known; empty when they are.
	Failure string
	// Early says that this process leads for too short a time to count on what is known. See Ledger.
	Early bool
}

// Replica is a pod that runs this server.
type Replica struct {
	// Pod and UID are the pod's.
	Pod types.NamespacedName
	UID types.UID
	// Ready says that the pod is ready, so that it serves the API and can lead.
	Ready bool
	// Leaving says that it is being deleted, or about to be evicted.
	Leaving bool
}

// Stays says whether the replica serves, and goes on to as far as we know.
func (r Replica) Stays() bool { return r.Ready && !r.Leaving }

// Reader lists replicas.
type Reader struct {
	// Kube is the cluster.
	Kube kubernetes.Interface
	// Server says which pods they are.
	Server Server
}

// Facts returns what is known of the replicas if one of the pods is one, and else only which pods would
// be. leaving are those that are about to be evicted.
func (r Reader) Facts(ctx context.Context, pods []*corev1.Pod, leaving sets.Set[types.UID]) Facts {
	facts := Facts{Server: r.Server}
	if !r.Server.runsAny(pods) {
		return facts
	}
	listed, err := r.list(ctx)
	if err != nil {
		facts.Failure = fmt.Sprintf("could not list pods of namespace %s: %v", r.Server.Pod.Namespace, err)
		return facts
	}
	for i := range listed {
		if pod := &listed[i]; r.Server.Runs(pod) {
			facts.Replicas = append(facts.Replicas, Replica{
				Pod: types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, UID: pod.UID, Ready: podutils.IsPodReady(pod),
				Leaving: !pod.DeletionTimestamp.IsZero() || leaving.Has(pod.UID),
			})
		}
	}
	slices.SortFunc(facts.Replicas, func(a, b Replica) int { return strings.Compare(a.Pod.Name, b.Pod.Name) })
	return facts
}

// list returns the pods that may be replicas. A pod that has no shared labels has no other replicas.
func (r Reader) list(ctx context.Context) ([]corev1.Pod, error) {
	if len(r.Server.labels) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	list, err := r.Kube.CoreV1().Pods(r.Server.Pod.Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: r.Server.Selector(), Limit: mostReplicas,
	})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

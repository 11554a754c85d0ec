// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	// findTimeout is how long a question may take.
	findTimeout = 5 * time.Second
	// setsLast is how long a list of DaemonSets is used for other nodes.
	setsLast = 10 * time.Second
	// listPage is how many objects a list asks for at a time.
	listPage = 500
	// waitsForPods is how messages about pods of DaemonSets begin.
	waitsForPods = "waits for ready pods of DaemonSets"
)

// find answers a question. It is called by the asker only. What an error says may change with each try, and an answer that
// changes is told to people. So only the log has it.
func (g *Gates) find(ctx context.Context, asked question) answer {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	switch {
	case asked.query != "":
		return g.findResult(ctx, asked.query)
	case asked.plan != "":
		return g.findPlan(ctx, asked.plan)
	default:
		return g.findPods(ctx, asked.node)
	}
}

func failing(reason v1beta1.AdmissionReason, format string, args ...any) answer {
	return answer{reason: reason, message: fmt.Sprintf(format, args...)}
}

func (g *Gates) findResult(ctx context.Context, query string) answer {
	if g.config.Prometheus == nil {
		return failing(v1beta1.AdmissionGateFailed, "waits for Prometheus, but this server does not know any: set its flag --prometheus-url")
	}
	if passes, why := g.config.Prometheus.Passes(ctx, query); !passes {
		return failing(v1beta1.AdmissionGateFailed, "%s (%s)", waitsForQuery(query), why)
	}
	return answer{}
}

func (g *Gates) findPlan(ctx context.Context, uid types.UID) answer {
	hold := g.hold(uid)
	if hold == nil {
		return failing(v1beta1.AdmissionGateFailed, "waits for a plan of the drain (the NodeMaintenance is not known yet)")
	}
	plan, err := g.config.Cluster.Outline(ctx, hold)
	switch {
	case err != nil:
		klog.FromContext(ctx).Error(err, "Could not plan a drain for a gate", "nodeMaintenance", hold.Name)
		return failing(v1beta1.AdmissionGateFailed, "waits for a plan of the drain (it could not be worked out)")
	case plan.PermanentlyBlockedPodCount == 0:
		return answer{}
	default:
		return failing(v1beta1.AdmissionPlanBlocked, "waits for pods that can never leave the node to be gone: %s", blocked(plan))
	}
}

// blocked names the first pods that can never leave the node, and says why.
func blocked(plan *v1beta1.DrainPlanStatus) string {
	var pods []string
	for _, pod := range plan.Pods {
		if pod.Blocker != nil && pod.Blocker.Permanent && len(pods) < quote.MaxNames {
			pods = append(pods, fmt.Sprintf("%s (%s)", pod.Pod, pod.Blocker.Message))
		}
	}
	text := strings.Join(pods, ", ")
	if more := int(plan.PermanentlyBlockedPodCount) - len(pods); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (g *Gates) hold(uid types.UID) *v1beta1.NodeMaintenance {
	holds, err := g.config.Cluster.Holds()
	if err != nil {
		return nil
	}
	for _, hold := range holds {
		if hold.UID == uid {
			return hold
		}
	}
	return nil
}

func (g *Gates) findPods(ctx context.Context, name string) answer {
	node, err := g.config.Cluster.Node(name)
	if node == nil || err != nil {
		return failing(v1beta1.AdmissionGateFailed, waitsForPods+" (the node is not known)")
	}
	sets, err := g.sets.list(ctx, g.config.Kube, g.config.Clock)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not list DaemonSets for a gate", "node", name)
		return failing(v1beta1.AdmissionGateFailed, waitsForPods+" (the API server did not list DaemonSets)")
	}
	pods, err := podsOn(ctx, g.config.Kube, name)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not list pods for a gate", "node", name)
		return failing(v1beta1.AdmissionGateFailed, waitsForPods+" (the API server did not list pods)")
	}
	if names := lacking(sets, pods, node); len(names) > 0 {
		return failing(v1beta1.AdmissionGateFailed, waitsForPods+": %s", quote.Names(names, quote.MaxNames))
	}
	return answer{}
}

// podsOn lists the pods of a node that DaemonSets own, as the API server's cache has them.
func podsOn(ctx context.Context, kube kubernetes.Interface, node string) ([]*corev1.Pod, error) {
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(), ResourceVersion: "0"}
	return listAll[*corev1.Pod](ctx, options, func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, options)
	})
}

func listAll[T any](ctx context.Context, options metav1.ListOptions, list pager.ListPageFunc) (found []T, err error) {
	pages := pager.New(list)
	pages.PageSize = listPage
	err = pages.EachListItem(ctx, options, func(obj runtime.Object) error {
		if item, isItem := obj.(T); isItem {
			found = append(found, item)
		}
		return nil
	})
	return found, err
}

// daemonSets are the DaemonSets as they were listed last.
type daemonSets struct {
	// mu is held while they are listed, so that others wait for the same list.
	mu     sync.Mutex
	at     time.Time
	listed []*appsv1.DaemonSet
}

// list returns the DaemonSets, as the API server's cache has them. They are listed anew at most every 10 seconds.
func (d *daemonSets) list(ctx context.Context, kube kubernetes.Interface, clock clock.PassiveClock) ([]*appsv1.DaemonSet, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := clock.Now()
	if at.Sub(d.at) < setsLast {
		return d.listed, nil
	}
	listed, err := listAll[*appsv1.DaemonSet](ctx, metav1.ListOptions{ResourceVersion: "0"},
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return kube.AppsV1().DaemonSets(metav1.NamespaceAll).List(ctx, options)
		})
	if err != nil {
		return nil, err
	}
	d.at, d.listed = at, listed
	return listed, nil
}

func (d *daemonSets) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at, d.listed = time.Time{}, nil
}

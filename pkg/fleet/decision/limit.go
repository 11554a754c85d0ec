// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// limits are the limits of a policy as numbers of nodes.
type limits struct {
	// concurrent and unavailable are nil if there is no such limit.
	concurrent, unavailable *int
	topology                []topology
}

// topology is a limit for domains.
type topology struct {
	key string
	// sizes is of how many nodes a share is taken in each domain.
	sizes   map[string]int
	domains *int
}

// resolveLimits works out the limits of the policy from the nodes that it selects now.
func (p *policy) resolveLimits() {
	size, spec := 0, p.spec.Limits
	for _, t := range spec.Topology {
		known := topology{key: t.Key, sizes: map[string]int{}}
		if t.MaxDomains != nil {
			domains := int(*t.MaxDomains)
			known.domains = &domains
		}
		p.limits.topology = append(p.limits.topology, known)
	}
	for _, n := range p.selected {
		if n.joining {
			continue
		}
		size++
		for _, t := range p.limits.topology {
			t.sizes[n.Labels[t.key]]++
		}
	}
	p.limits.concurrent = resolved(spec.MaxConcurrent, size)
	p.limits.unavailable = resolved(spec.MaxUnavailable, size)
}

// domainLimit is how many nodes of a domain may be in maintenance; nil: any number.
func (p *policy) domainLimit(i int, domain string) *int {
	return resolved(p.spec.Limits.Topology[i].MaxConcurrent, p.limits.topology[i].sizes[domain])
}

// resolved is a limit as a number; nil: there is none, or it cannot be applied, and the policy stops all starts.
func resolved(limit *intstr.IntOrString, base int) *int {
	if limit == nil {
		return nil
	}
	n, err := resolve(*limit, base)
	if err != nil {
		return nil
	}
	return &n
}

// resolve is a limit as a number, given of how many nodes a share is taken.
func resolve(limit intstr.IntOrString, base int) (int, error) {
	share, isShare := strings.CutSuffix(limit.StrVal, "%")
	switch {
	case limit.Type == intstr.Int && limit.IntVal >= 0:
		return int(limit.IntVal), nil
	case limit.Type == intstr.String && isShare:
		percent, err := strconv.ParseUint(share, 10, 8)
		if err != nil || percent > 100 {
			return 0, fmt.Errorf("%q is not a share from 0%% to 100%%", limit.StrVal)
		}
		if percent == 0 {
			return 0, nil
		}
		return max(1, base*int(percent)/100), nil
	default:
		return 0, fmt.Errorf("%q is neither a number of nodes nor a share of them", limit.String())
	}
}

// base is of how many of the nodes a share is taken.
func base(nodes []*corev1.Node, now time.Time) int {
	n := 0
	for _, node := range nodes {
		if !joining(node, now) {
			n++
		}
	}
	return n
}

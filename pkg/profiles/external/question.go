// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"cmp"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// question is what is asked of an endpoint.
type question struct {
	// prometheus says that text is a query; else it is a path.
	prometheus bool
	endpoint   string
	text       string
}

// nodeNameVariable stands for the name of the node in queries and paths.
const nodeNameVariable = "$(nodeName)"

func questionOf(check *v1beta1.ProfileCheck, nodeName string) question {
	asked := question{}
	if p := check.Prometheus; p != nil {
		asked = question{prometheus: true, endpoint: p.Endpoint, text: p.Query}
	} else {
		asked = question{endpoint: check.HTTP.Endpoint, text: check.HTTP.Path}
	}
	asked.text = strings.ReplaceAll(asked.text, nodeNameVariable, nodeName)
	return asked
}

func (q question) compare(other question) int {
	return cmp.Or(cmp.Compare(q.endpoint, other.endpoint), cmp.Compare(q.text, other.text))
}

// terms are how often a check wants its question asked, and what it makes of the answer. Those of many nodes are the same.
type terms struct {
	interval   time.Duration
	expression string
}

func termsOf(check *v1beta1.ProfileCheck) terms {
	if p := check.Prometheus; p != nil {
		return terms{seconds(ptr.Deref(p.IntervalSeconds, v1beta1.DefaultPrometheusIntervalSeconds)), p.Expression}
	}
	h := check.HTTP
	return terms{seconds(ptr.Deref(h.IntervalSeconds, v1beta1.DefaultHTTPIntervalSeconds)), h.Expression}
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

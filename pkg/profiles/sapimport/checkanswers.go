// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"net/url"
	"regexp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func prometheusInstant(p *plugin, made *v1beta1.ProfileCheck) {
	made.Prometheus = &v1beta1.PrometheusCheck{
		Endpoint: p.prometheusEndpoint(), Query: p.config.text("query", required), Expression: p.gval("expr"),
		IntervalSeconds: p.requeue.interval(),
	}
	if len(made.Prometheus.Query) > v1beta1.MaxExpressionBytes {
		p.config.say("query", Unmapped, fmt.Sprintf("at most %d bytes are possible", v1beta1.MaxExpressionBytes))
	}
}

// gval translates an expression, and says so if it is another text now.
func (p *plugin) gval(key string) string {
	source := p.config.text(key, required)
	if source == "" {
		return ""
	}
	cel, err := celOfGval(source)
	if err != nil {
		p.config.say(key, Unmapped, err.Error())
		return ""
	}
	p.checkExpression(key, prometheusExpression, cel)
	if cel != source {
		p.config.say(key, Changed, "in CEL: "+cel)
	}
	return cel
}

// kubernikusExpression compares the nodes of the cluster with those that Kubernikus has been asked for.
const kubernikusExpression = "response.status == 200 && nodeCount >= response.json.spec.nodePools.map(p, int(p.size)).sum()"

// regionForm is that of a region, which becomes a part of a host name.
var regionForm = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

func kubernikusCount(p *plugin, made *v1beta1.ProfileCheck) {
	cluster := p.config.text("cluster", required)
	p.cloudProviderSecret()
	made.HTTP = &v1beta1.HTTPCheck{
		Endpoint: p.kubernikusEndpoint(), Path: "/api/v1/clusters/" + url.PathEscape(cluster), Expression: kubernikusExpression,
		IntervalSeconds: p.requeue.interval(),
	}
	p.checkExpression("cluster", httpExpression, made.HTTP.Expression)
}

// cloudProviderSecret reads where the controller has the credentials. Here they are in the namespace of Secrets.
func (p *plugin) cloudProviderSecret() {
	secret := p.config.inner("cloudProviderSecret")
	if secret == nil {
		return
	}
	secret.text("name", required)
	secret.text("namespace", required)
	p.config.say("cloudProviderSecret", Changed, "the Secret of the endpoint is made from the file that --cloud-provider-conf names")
	secret.done()
}

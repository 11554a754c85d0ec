// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	cliflag "k8s.io/component-base/cli/flag"
	"sigs.k8s.io/yaml"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
)

// timeToClose is how long the server takes to end beside its requests: 4 seconds for the drainer, 2 for connections.
const timeToClose = 6 * time.Second

// The server takes the flags of each set of values, and a pod has enough time to end with them.
func TestFlags(t *testing.T) {
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			rendered, err := render(t, append([]string{image}, set.values...), append(set.flags, "--show-only", "templates/deployment.yaml")...)
			if err != nil {
				t.Fatal(err)
			}
			var deployment appsv1.Deployment
			if err := yaml.UnmarshalStrict([]byte(rendered), &deployment); err != nil {
				t.Fatal(err)
			}
			pod := deployment.Spec.Template.Spec
			o := parse(t, pod.Containers[0].Args)
			grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
			library := o.Requests.Library
			ends := library.ShutdownDelayDuration + max(o.Requests.ShutdownGracePeriod, library.ShutdownWatchTerminationGracePeriod) + timeToClose
			if grace < ends {
				t.Errorf("the pod has %s to end, want at least the %s that the server takes with %s", grace, ends, strings.Join(pod.Containers[0].Args, " "))
			}
		})
	}
}

// parse returns what the server makes of the flags, if it takes them.
func parse(t *testing.T, args []string) *options.Options {
	t.Helper()
	o := options.New()
	var flagSets cliflag.NamedFlagSets
	o.AddFlags(&flagSets)
	all := pflag.NewFlagSet(t.Name(), pflag.ContinueOnError)
	for _, flagSet := range flagSets.FlagSets {
		all.AddFlagSet(flagSet)
	}
	if err := all.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := o.Complete(); err != nil {
		t.Fatal(err)
	}
	for _, err := range o.Validate() {
		t.Errorf("the server refuses %s: %v", strings.Join(args, " "), err)
	}
	return o
}

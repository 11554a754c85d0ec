// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/collect"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source/aws"
)

// clouds are the clouds that can be asked for events, with their default options, by the source of their ScheduledEvents.
// Each is one line here, and one in v1beta1.CollectedSources.
func clouds() map[string]source.Cloud {
	return map[string]source.Cloud{
		v1beta1.AWSSource: &aws.Settings{},
	}
}

// minEventInterval is the shortest time between two polls: a cloud limits how much an account asks.
const minEventInterval = time.Second

// CloudEventOptions is what is done with the events that clouds schedule for machines.
type CloudEventOptions struct {
	// Sources are the clouds that are asked for events. Default: none.
	Sources []string
	// Interval is the time between two polls of a cloud.
	Interval time.Duration

	// clouds are all that can be asked, and flags those of each.
	clouds map[string]source.Cloud
	flags  map[string]*pflag.FlagSet
}

func newCloudEventOptions() *CloudEventOptions {
	return &CloudEventOptions{Interval: collect.DefaultInterval, clouds: clouds(), flags: map[string]*pflag.FlagSet{}}
}

func (o *CloudEventOptions) addFlags(fs *pflag.FlagSet) {
	help := []string{"Clouds to ask for the events that they schedule for the machines of nodes: " + strings.Join(o.names(), ", ") +
		". The server makes a ScheduledEvent of each."}
	for _, name := range o.names() {
		help = append(help, o.clouds[name].Help())
		o.flags[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
		o.clouds[name].AddFlags(o.flags[name])
		fs.AddFlagSet(o.flags[name])
	}
	fs.StringSliceVar(&o.Sources, "cloud-events", o.Sources, strings.Join(append(help, "Default: none."), " "))
	fs.DurationVar(&o.Interval, "cloud-events-interval", o.Interval,
		"Time between two polls of a cloud, at least 1s. Up to a tenth is added by chance.")
}

func (o *CloudEventOptions) validate() []error {
	var errs []error
	for _, name := range o.Sources {
		if o.clouds[name] == nil {
			errs = append(errs, fmt.Errorf("--cloud-events must be %s, not %q", strings.Join(o.names(), " or "), name))
		}
	}
	if o.Interval < minEventInterval {
		errs = append(errs, fmt.Errorf("--cloud-events-interval must be at least %s, not %s: others ask the cloud, too, and it limits requests",
			minEventInterval, o.Interval))
	}
	for _, name := range o.names() {
		errs = append(errs, o.clouds[name].Validate()...)
		if slices.Contains(o.Sources, name) {
			continue
		}
		o.flags[name].VisitAll(func(f *pflag.Flag) {
			if f.Changed {
				errs = append(errs, fmt.Errorf("--%[1]s is set, but the cloud is not asked: set --cloud-events=%[2]s, or leave --%[1]s out", f.Name, name))
			}
		})
	}
	return errs
}

// names are the sources that can be asked, in order.
func (o *CloudEventOptions) names() []string { return slices.Sorted(maps.Keys(o.clouds)) }

// Clouds are the clouds that are asked, by the source of their events.
func (o *CloudEventOptions) Clouds() map[string]source.Cloud {
	asked := map[string]source.Cloud{}
	for _, name := range o.Sources {
		asked[name] = o.clouds[name]
	}
	return asked
}

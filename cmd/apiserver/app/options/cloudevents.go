// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/collect"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source/aws"
)

// minEventInterval is the shortest time between two polls: a cloud limits how much an account asks.
const minEventInterval = time.Second

// CloudEventOptions is what is done with the events that clouds schedule for machines.
type CloudEventOptions struct {
	// Sources are the clouds that are asked for events. Default: none.
	Sources []string
	// Interval is the time between two polls of a cloud.
	Interval time.Duration
	// Endpoint is the URL of the cloud's API. Default: the cloud's own.
	Endpoint string
}

func newCloudEventOptions() *CloudEventOptions {
	return &CloudEventOptions{Interval: collect.DefaultInterval}
}

func (o *CloudEventOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.Sources, "cloud-events", o.Sources,
		"Clouds to ask for the events that they schedule for the machines of nodes: aws. The server makes a ScheduledEvent of "+
			"each. It needs the permission ec2:DescribeInstanceStatus, and finds its credentials as AWS' SDK does. Default: none.")
	fs.DurationVar(&o.Interval, "cloud-events-interval", o.Interval,
		"Time between two polls of a cloud, at least 1s. Up to a tenth is added by chance.")
	fs.StringVar(&o.Endpoint, "cloud-events-endpoint", o.Endpoint,
		"URL of EC2 for all regions, such as that of a VPC endpoint. Default: AWS' own, by region.")
}

func (o *CloudEventOptions) validate() []error {
	var errs []error
	for _, name := range o.Sources {
		if name != v1beta1.AWSSource {
			errs = append(errs, fmt.Errorf("--cloud-events must be %s, not %q", v1beta1.AWSSource, name))
		}
	}
	if o.Interval < minEventInterval {
		errs = append(errs, fmt.Errorf("--cloud-events-interval must be at least %s, not %s: others ask the cloud, too, and it limits requests",
			minEventInterval, o.Interval))
	}
	if err := o.settings().Validate(); err != nil {
		errs = append(errs, fmt.Errorf("--cloud-events-endpoint: %w", err))
	}
	if o.Endpoint != "" && len(o.Sources) == 0 {
		errs = append(errs, fmt.Errorf("--cloud-events-endpoint is set, but no cloud is asked: set --cloud-events=%s, or leave it out", v1beta1.AWSSource))
	}
	return errs
}

// AWSSettings are the settings of AWS; nil if it is not asked for events.
func (o *CloudEventOptions) AWSSettings() *aws.Settings {
	if !slices.Contains(o.Sources, v1beta1.AWSSource) {
		return nil
	}
	return o.settings()
}

func (o *CloudEventOptions) settings() *aws.Settings { return &aws.Settings{Endpoint: o.Endpoint} }

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/component-base/compatibility"
)

// lastTime is how long requests and watches in flight may take to end at shutdown by default. It is
// short: until one server has ended, no other can open the same embedded store.
const lastTime = 2 * time.Second

// requestFlags are the library's flags that mean something here. Of the others, some are about the address
// of a kube-apiserver or about browsers, and some about API versions that this server does not have. And
// goaway-chance would fail writes now and then: the aggregator cannot send them again.
var requestFlags = []string{
	"max-requests-inflight", "max-mutating-requests-inflight", "request-timeout", "min-request-timeout",
	"shutdown-delay-duration", "shutdown-send-retry-after", "shutdown-watch-termination-grace-period",
}

// RequestOptions is how many requests are answered at a time, how long they may take, and what becomes of
// them when the server shuts down.
type RequestOptions struct {
	// Library are the options that every API server has. Only those of requestFlags have flags.
	Library *genericoptions.ServerRunOptions
	// ShutdownGracePeriod is how long requests in flight may take at shutdown before they are canceled.
	ShutdownGracePeriod time.Duration
}

func newRequestOptions() *RequestOptions {
	library := genericoptions.NewServerRunOptionsForComponent("maintenance-apiserver", compatibility.NewComponentGlobalsRegistry())
	// Otherwise the port is closed while requests in flight end. The aggregator answers 503 then, which
	// clients do not retry as they do 429.
	library.ShutdownSendRetryAfter = true
	// Otherwise watches would keep their connections open at shutdown.
	library.ShutdownWatchTerminationGracePeriod = lastTime
	return &RequestOptions{Library: library, ShutdownGracePeriod: lastTime}
}

func (o *RequestOptions) addFlags(fs *pflag.FlagSet) {
	all := pflag.NewFlagSet("library", pflag.ContinueOnError)
	o.Library.AddUniversalFlags(all)
	for _, name := range requestFlags {
		fs.AddFlag(all.Lookup(name))
	}
	fs.DurationVar(&o.ShutdownGracePeriod, "shutdown-request-grace-period", o.ShutdownGracePeriod,
		"How long requests in flight may take at shutdown, after the delay, before they are canceled. At most --request-timeout.")
}

func (o *RequestOptions) validate(priorityAndFairness bool) []error {
	errs := o.Library.Validate()
	if o.Library.RequestTimeout == 0 {
		errs = append(errs, errors.New("--request-timeout must be greater than 0: with 0, every request fails"))
	}
	if priorityAndFairness && o.Library.MaxRequestsInFlight+o.Library.MaxMutatingRequestsInFlight == 0 {
		errs = append(errs, errors.New("one of --max-requests-inflight and --max-mutating-requests-inflight must be greater than 0, "+
			"or --enable-priority-and-fairness be false: nothing would be answered"))
	}
	if o.ShutdownGracePeriod < 0 || o.ShutdownGracePeriod > max(o.Library.RequestTimeout, 0) {
		errs = append(errs, fmt.Errorf("--shutdown-request-grace-period must be from 0 to --request-timeout (%s), not %s",
			o.Library.RequestTimeout, o.ShutdownGracePeriod))
	}
	return errs
}

// ApplyTo sets what the options say in the configuration. The library's own ApplyTo would also replace
// the version and the feature gates.
func (o *RequestOptions) ApplyTo(config *genericapiserver.Config) {
	config.MaxRequestsInFlight = o.Library.MaxRequestsInFlight
	config.MaxMutatingRequestsInFlight = o.Library.MaxMutatingRequestsInFlight
	config.RequestTimeout = o.Library.RequestTimeout
	config.MinRequestTimeout = o.Library.MinRequestTimeout
	config.ShutdownDelayDuration = o.Library.ShutdownDelayDuration
	config.ShutdownSendRetryAfter = o.Library.ShutdownSendRetryAfter
	config.ShutdownWatchTerminationGracePeriod = o.Library.ShutdownWatchTerminationGracePeriod
}

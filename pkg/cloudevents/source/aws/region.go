// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
)

// limits keep a region from taking a poll for itself.
type limits struct {
	// region is how long a region may take to answer all that it is asked in a poll.
	region time.Duration
	// request is how long one try of a request may take.
	request time.Duration
	// backoff is the longest time between two tries of a request.
	backoff time.Duration
	// tries is how often a request is tried, if EC2 says that there are too many, or fails.
	tries int
}

var defaultLimits = limits{region: 2 * time.Minute, request: 15 * time.Second, backoff: 10 * time.Second, tries: 5}

// askRegion asks a region for the events of the instances. It goes on with the next batch when one fails.
func (s *Source) askRegion(ctx context.Context, region string, instances []string) (all told, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.region)
	defer cancel()
	ask, err := s.client(ctx, region)
	if err != nil {
		return told{}, err
	}
	var errs []error
	for batch := range slices.Chunk(instances, maxBatch) {
		answer, err := askBatch(ctx, ask, batch)
		all.add(answer)
		if err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return all, errors.Join(errs...)
}

// client returns the client for a region, which keeps its credentials from poll to poll.
func (s *Source) client(ctx context.Context, region string) (describe, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.clients[region]; known != nil {
		return known, nil
	}
	loaded, err := s.load(ctx, config.WithRegion(region))
	if err != nil {
		return nil, err
	}
	s.clients[region] = ec2.NewFromConfig(loaded, func(o *ec2.Options) {
		o.HTTPClient = wholeRequests{o.HTTPClient}
		if s.config.Endpoint != "" {
			o.BaseEndpoint = sdk.String(s.config.Endpoint)
		}
	}).DescribeInstanceStatus
	return s.clients[region], nil
}

// load reads the settings of AWS' SDK from where it finds them.
func (s *Source) load(ctx context.Context, options ...func(*config.LoadOptions) error) (sdk.Config, error) {
	loaded, err := config.LoadDefaultConfig(ctx, append(options,
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(s.limits.request)),
		config.WithRetryer(func() sdk.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.MaxAttempts, o.MaxBackoff = s.limits.tries, s.limits.backoff
			})
		}))...)
	if err != nil {
		return sdk.Config{}, fmt.Errorf("could not load the settings of AWS' SDK: %w", err)
	}
	return loaded, nil
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"context"
	"errors"
	"regexp"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
)

// maxBatch is the most instances that EC2 lets one request name.
const maxBatch = 100

const (
	// errGone says that instances do not exist, and names them.
	errGone = "InvalidInstanceID.NotFound"
	// errMalformed says that something is not the id of an instance, and names it.
	errMalformed = "InvalidInstanceID.Malformed"
)

// describe is DescribeInstanceStatus of the client for a region. The client itself must not get into an interface, nor into
// a field of what is in one: the linker would keep its hundreds of other calls, which are 34 MB.
type describe func(context.Context, *ec2.DescribeInstanceStatusInput, ...func(*ec2.Options)) (*ec2.DescribeInstanceStatusOutput, error)

// namedInstance finds the ids that an error names.
var namedInstance = regexp.MustCompile(`\bi-[0-9a-f]+\b`)

// told is what EC2 has told.
type told struct {
	events []source.Event
	// instances are those whose events are all among the events.
	instances []string
}

func (t *told) add(more told) {
	t.events, t.instances = append(t.events, more.events...), append(t.instances, more.instances...)
}

// askBatch asks for the events of at most maxBatch instances. EC2 refuses a request if one of them does not exist: then it
// asks again without that one. What it returns is true, even if it fails.
func askBatch(ctx context.Context, ask describe, instances []string) (all told, err error) {
	for len(instances) > 0 {
		page, err := askPages(ctx, ask, instances)
		refused, gone := refusedIDs(err, instances)
		if len(refused) == 0 {
			all.add(page)
			return all, err
		}
		if gone {
			all.instances = append(all.instances, refused...)
		}
		instances = slices.DeleteFunc(slices.Clone(instances), func(id string) bool { return slices.Contains(refused, id) })
	}
	return all, nil
}

// askPages asks for all pages. An instance that EC2 does not list, such as one that it hides from this caller, does not
// count as told.
func askPages(ctx context.Context, ask describe, instances []string) (all told, err error) {
	input := &ec2.DescribeInstanceStatusInput{
		InstanceIds: instances, IncludeAllInstances: sdk.Bool(true), IncludeManagedResources: sdk.Bool(true),
	}
	for {
		page, err := ask(ctx, input)
		if err != nil {
			return all, err
		}
		all.add(read(page, instances))
		if next := sdk.ToString(page.NextToken); next == "" || next == sdk.ToString(input.NextToken) {
			return all, nil // EC2 has told all, or repeats itself
		}
		input.NextToken = page.NextToken
	}
}

// read returns what a page tells of the instances.
func read(page *ec2.DescribeInstanceStatusOutput, instances []string) (all told) {
	for _, status := range page.InstanceStatuses {
		instance := sdk.ToString(status.InstanceId)
		if !slices.Contains(instances, instance) {
			continue
		}
		all.instances = append(all.instances, instance)
		for _, event := range status.Events {
			all.events = append(all.events, translate(instance, event))
		}
	}
	return all
}

// refusedIDs returns those of the instances for which EC2 has refused a request, and whether it says that they do not
// exist.
func refusedIDs(err error, instances []string) (refused []string, gone bool) {
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != errGone && api.ErrorCode() != errMalformed {
		return nil, false
	}
	for _, id := range namedInstance.FindAllString(api.ErrorMessage(), -1) {
		if slices.Contains(instances, id) && !slices.Contains(refused, id) {
			refused = append(refused, id)
		}
	}
	return refused, api.ErrorCode() == errGone
}

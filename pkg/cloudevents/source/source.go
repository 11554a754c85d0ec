// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package source is where those who collect the events of clouds meet the clouds.
package source

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Source tells which events a cloud has announced for the machines of nodes.
type Source interface {
	// Events asks the cloud. It fails only if nothing could be asked. What parts of the cloud did not answer is in the
	// Answer, beside what the others have answered.
	Events(ctx context.Context) (Answer, error)
}

// Cloud is a kind of cloud that can be asked, with the options that an admin sets for it. Its zero value has the defaults.
type Cloud interface {
	// Help says in a sentence what the server needs to ask this cloud.
	Help() string
	// AddFlags adds a flag for each option.
	AddFlags(fs *pflag.FlagSet)
	// Validate returns an error for each option that is wrong, with the name of its flag.
	Validate() []error
	// New returns a Source that has not asked anything. nodes returns all nodes, with their provider ids and labels.
	New(nodes func() ([]*corev1.Node, error)) Source
}

// Event is what a cloud says of an event now.
type Event struct {
	// ID is the id of the event at the cloud. No two events have the same.
	ID string
	// Code is what happens, as spec.code of a ScheduledEvent.
	Code string
	// InstanceID is the id of the machine at the cloud, as the last part of the provider id of its node.
	InstanceID string
	// Description is as spec.description of a ScheduledEvent may be.
	Description string
	// State is Scheduled, Canceled or Completed.
	State v1beta1.ScheduledEventState
	// NotBefore, NotAfter and Deadline are in whole seconds; nil if the cloud does not tell.
	NotBefore, NotAfter, Deadline *metav1.Time
}

// Answer is what a cloud has answered.
type Answer struct {
	// Events are those that it told, by their ids. Each is true, whatever else failed.
	Events map[string]Event
	// Asked are the ids of the machines of all nodes that are at the cloud.
	Asked sets.Set[string]
	// Answered are those of them whose events are all among Events. An event of one of them that is not is over.
	Answered sets.Set[string]
	// Regions are the parts of the cloud that were asked, by name, with the error of each; nil if it answered all.
	Regions map[string]error
}

// RegionNames are the names of the regions that were asked, in order.
func (a Answer) RegionNames() []string { return slices.Sorted(maps.Keys(a.Regions)) }

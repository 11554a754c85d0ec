// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	typedv1beta1 "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// Threads remembers threads of Slack in the status of their endpoint. Use NewThreads.
type Threads struct {
	client typedv1beta1.MaintenanceEndpointInterface
}

var _ outbox.Threads = &Threads{}

// NewThreads returns Threads. The client is one for our own server.
func NewThreads(client typedv1beta1.MaintenanceEndpointInterface) *Threads {
	return &Threads{client: client}
}

// Find implements outbox.Threads. It asks the server: a cache might not have a thread that has just been started.
func (t *Threads) Find(
	ctx context.Context, target v1beta1.NotificationTarget, notifier string,
) (v1beta1.SlackThread, error) {
	found, err := t.get(ctx, target.Endpoint)
	if err != nil {
		return v1beta1.SlackThread{}, err
	}
	if i := slices.IndexFunc(found.Status.Threads, sameThread(target.Channel, notifier)); i >= 0 {
		return found.Status.Threads[i], nil
	}
	return v1beta1.SlackThread{}, nil
}

// Record implements outbox.Threads. Of too many threads, the oldest ones are forgotten.
func (t *Threads) Record(ctx context.Context, target v1beta1.NotificationTarget, thread v1beta1.SlackThread) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		found, err := t.get(ctx, target.Endpoint)
		if err != nil {
			return err
		}
		found.Status.Threads = with(found.Status.Threads, thread)
		_, err = t.client.UpdateStatus(ctx, found, metav1.UpdateOptions{})
		return err
	})
}

func (t *Threads) get(ctx context.Context, name string) (*v1beta1.MaintenanceEndpoint, error) {
	found, err := t.client.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, &endpoint.Error{Endpoint: name, Reason: "it does not exist"}
	}
	if err != nil {
		return nil, fmt.Errorf("could not read the endpoint: %w", err)
	}
	return found, nil
}

func sameThread(channel, notifier string) func(v1beta1.SlackThread) bool {
	return func(t v1beta1.SlackThread) bool { return t.Channel == channel && t.Notifier == notifier }
}

// with returns the threads with one more, or another one in place of the one that its notifiers used.
func with(threads []v1beta1.SlackThread, thread v1beta1.SlackThread) []v1beta1.SlackThread {
	threads = slices.DeleteFunc(slices.Clone(threads), sameThread(thread.Channel, thread.Notifier))
	threads = append(threads, thread)
	slices.SortStableFunc(threads, func(a, b v1beta1.SlackThread) int { return a.Since.Compare(b.Since.Time) })
	return threads[max(0, len(threads)-v1beta1.MaxThreads):]
}

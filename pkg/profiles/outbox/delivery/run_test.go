// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
	informers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// crowd counts who sends at the same time.
type crowd struct {
	mu           sync.Mutex
	now, most    int
	lanes        map[lane]int
	tooMany      []lane
	sent         int
	wait         chan struct{}
	started, all chan struct{}
	full         sync.Once
	want         int
}

func (c *crowd) Send(ctx context.Context, message outbox.Message) (outbox.Receipt, error) {
	way := laneOf(message.Target)
	c.mu.Lock()
	c.now++
	c.most = max(c.most, c.now)
	if c.lanes[way]++; c.lanes[way] > 1 {
		c.tooMany = append(c.tooMany, way)
	}
	if c.now == 3 {
		c.full.Do(func() { close(c.started) })
	}
	c.mu.Unlock()
	select {
	case <-c.wait:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
	c.lanes[way]--
	if c.sent++; c.sent == c.want {
		close(c.all)
	}
	return outbox.Receipt{}, nil
}

// TestRun has 20 NodeProfiles send to 5 channels, 3 at once.
func TestRun(t *testing.T) {
	client := fake.NewSimpleClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	nodeProfiles := factory.Maintenance().V1beta1().NodeProfiles()
	api := client.MaintenanceV1beta1().NodeProfiles()
	for i := range 20 {
		n := note(fmt.Sprint("a", i), atLeastOnce)
		n.Target.Channel, n.Target.Endpoint = fmt.Sprint("#", i%5), fmt.Sprint("e", i%2)
		np := &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), UID: types.UID(fmt.Sprint(i))}}
		np.Status.Notifications = []v1beta1.NotificationStatus{n}
		if _, err := api.Create(t.Context(), np, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c := &crowd{
		lanes: map[lane]int{}, wait: make(chan struct{}), started: make(chan struct{}), all: make(chan struct{}), want: 20,
	}
	worker := New(Config{Client: api, NodeProfiles: nodeProfiles, Senders: outbox.Kinds{v1beta1.NotifierMail: c}, AtOnce: 3})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { worker.Run(ctx) })
	nodeProfiles.Informer()
	factory.Start(ctx.Done())
	await(t, c.started, "3 send at once")
	close(c.wait)
	await(t, c.all, "all are sent")
	cancel()
	running.Wait()
	factory.Shutdown()
	if c.most != 3 || len(c.tooMany) > 0 {
		t.Errorf("%d at once, and two at once to %v", c.most, c.tooMany)
	}
	list, err := api.List(context.WithoutCancel(ctx), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, np := range list.Items {
		if n := np.Status.Notifications[0]; n.State != v1beta1.NotificationSent {
			t.Errorf("%s is %s", np.Name, n.State)
		}
	}
}

func await(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		t.Fatalf("waited in vain until %s", what)
	}
}

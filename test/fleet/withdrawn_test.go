// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Holds are withdrawn in the moment of their admission, some sooner and some later. Neither entries nor cordons stay.
func TestHoldsWithdrawnWhileTheyAreAdmitted(t *testing.T) {
	p := newPool(t, 4)
	p.Policy(t, "few", env.AtMost("2"))
	var racing sync.WaitGroup
	for _, node := range p.Nodes {
		racing.Go(func() {
			for changes := range 6 {
				p.createAndDelete(t, node, changes)
			}
		})
	}
	racing.Wait()
	p.WaitUntilClean(t)
	p.waitReleased(t)
}

// createAndDelete creates a hold, and deletes it once it has changed that often, or after a second. It works beside others: where
// the test may not be ended from.
func (p *pool) createAndDelete(t *testing.T, node string, changes int) {
	holds := p.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	hold := p.Hold(fmt.Sprintf("%s-%d", strings.TrimPrefix(node, p.Name+"-"), changes), node)
	hold.Spec.Stage = v1beta1.StageCordon
	created, err := holds.Create(t.Context(), hold, metav1.CreateOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	watched, err := holds.Watch(t.Context(), metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", created.Name).String(), ResourceVersion: created.ResourceVersion,
		TimeoutSeconds: ptr.To[int64](1),
	})
	if err != nil {
		t.Error(err)
		return
	}
	for range changes {
		<-watched.ResultChan() // at once when it is closed
	}
	watched.Stop()
	if err := holds.Delete(t.Context(), created.Name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

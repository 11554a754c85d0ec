// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// What is stored can be read again, whoever sets a time, and wherever.
func TestTimesThatCouldNotBeReadAgain(t *testing.T) {
	hold := func(change func(*v1beta1.NodeMaintenance, *metav1.Time)) func(metav1.Time) runtime.Object {
		return func(at metav1.Time) runtime.Object {
			hold := drainingHold().hold
			change(hold, &at)
			return hold
		}
	}
	tests := map[string]func(metav1.Time) runtime.Object{
		"in a spec":      hold(func(h *v1beta1.NodeMaintenance, at *metav1.Time) { h.Spec.NotBefore = at }),
		"in a status":    hold(func(h *v1beta1.NodeMaintenance, at *metav1.Time) { h.Status.StartTime = at }),
		"in a condition": hold(func(h *v1beta1.NodeMaintenance, at *metav1.Time) { h.Status.Conditions[0].LastTransitionTime = *at }),
		"of an owner":    hold(func(h *v1beta1.NodeMaintenance, at *metav1.Time) { h.ManagedFields[0].Time = at }),
		"of an admission": hold(func(h *v1beta1.NodeMaintenance, at *metav1.Time) {
			h.Status.Admission = &v1beta1.MaintenanceAdmission{AdmittedTime: at}
		}),
		"beside new fields": hold(func(h *v1beta1.NodeMaintenance, at *metav1.Time) { h.Unknown, h.Spec.StartDeadline = `[]`, at }),
		"in a policy": func(at metav1.Time) runtime.Object {
			policy := fullPolicy()
			policy.Spec.AutoStop.IgnoreBefore = &at
			return policy
		},
		"in a ledger": func(at metav1.Time) runtime.Object {
			ledger := fullLedger()
			ledger.Spec.Entries[0].AdmittedTime = metav1.NewMicroTime(at.Time)
			return ledger
		},
	}
	for name, object := range tests {
		t.Run(name, func(t *testing.T) {
			for _, sent := range []string{"9999-12-31T23:59:59-14:00", "0000-01-01T00:00:00+14:00"} {
				_, err := runtime.Encode(Codec, object(parsed(t, sent)))
				if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), "its year in UTC must be between 0 and 9999") {
					t.Errorf("%s: got %v, want it to be refused", sent, err)
				}
			}
			for _, sent := range []string{"9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z"} {
				data, err := runtime.Encode(Codec, object(parsed(t, sent)))
				if err == nil {
					_, err = runtime.Decode(Codec, data)
				}
				if err != nil {
					t.Errorf("%s: %v", sent, err)
				}
			}
		})
	}
}

func parsed(t *testing.T, text string) metav1.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return metav1.NewTime(at)
}

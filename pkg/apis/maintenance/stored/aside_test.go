// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// readAt reads what is stored of a kind at a key, as the server does.
func readAt(t *testing.T, example v1beta1.Stored, key, data string) v1beta1.Stored {
	t.Helper()
	read, _, err := SettingAside(identity.NewEncryptCheckTransformer(), example).TransformFromStorage(t.Context(), []byte(data), value.DefaultContext(key))
	if err != nil {
		t.Fatal(err)
	}
	return decodedObject(t, string(read))
}

// Whatever is stored of an object, it is told by its name, with why it cannot be read. Nothing of what it says has an effect,
// but which node and which profile it is about, and which nodes a policy selects.
func TestSettingAside(t *testing.T) {
	created := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	const meta = `"metadata":{"name":"a","uid":"u","creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["f"]}`
	const kindOfHold, v1 = `{"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/`, `{"kind":"MaintenancePolicy","apiVersion":"maintenance.medik8s.io/v1",`
	hold := v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	known := hold
	known.UID, known.CreationTimestamp, known.Spec.NodeName = "u", created, "n"
	policy := v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "u", CreationTimestamp: created}}
	selecting := policy
	selecting.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "x"}}

	tests := map[string]struct {
		key, data string
		want      v1beta1.Stored
		why       string
	}{
		"a later version": {
			data: kindOfHold + `v1",` + meta + `,"spec":{"nodeName":"n","stage":"Drain"}}`, want: &known, why: "is registered for version",
		},
		"a field of another type": {
			data: kindOfHold + `v1beta1",` + meta + `,"spec":{"reason":5,"nodeName":"n","stage":"Drain"}}`, want: &known, why: "cannot unmarshal number",
		},
		"a node that is no name": {
			data: kindOfHold + `v1beta1",` + meta + `,"spec":{"nodeName":5}}`,
			want: &v1beta1.NodeMaintenance{ObjectMeta: known.ObjectMeta}, why: "cannot unmarshal number",
		},
		"cut off":        {data: kindOfHold + `v1beta1",` + meta + `,"spec":{"nodeName":"n"`, want: &hold, why: "unexpected end of JSON input"},
		"empty":          {data: "", want: &hold, why: "is not the JSON of a NodeMaintenance named a"},
		"no JSON":        {data: "\x00\xff garbage", want: &hold, why: "is not the JSON of a NodeMaintenance named a"},
		"a list":         {data: "[1]", want: &hold, why: "is not the JSON of a NodeMaintenance named a"},
		"another kind":   {data: strings.Replace(newer, "NodeMaintenance", "NodeProfile", 1), want: &hold, why: "NodeMaintenance named a"},
		"no kind at all": {data: `{"metadata":{"name":"a"},"spec":{"nodeName":"n"}}`, want: &hold, why: "NodeMaintenance named a"},
		"another name": {
			key: "/registry/b", data: newer, want: &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, why: "NodeMaintenance named b",
		},
		"encrypted": {data: "k8s:enc:aescbc:v1:key1:xyz", want: &hold, why: "it cannot be decrypted: identity transformer tried to read encrypted data"},
		"the mark itself": {
			data: kindOfHold + `v1beta1","metadata":{"name":"a","annotations":{"maintenance.medik8s.io/unreadable":"somebody says so"}},"spec":{"stage":"Drain"}}`,
			want: &hold, why: "somebody says so",
		},
		"a policy whose selector is known": {
			data: v1 + meta + `,"spec":{"nodeSelector":{"matchLabels":{"pool":"x"}}}}`, want: &selecting, why: "is registered for version",
		},
		"a policy whose selector is not": {
			data: v1 + meta + `,"spec":{"nodeSelector":{"matchLabels":{"pool":"x"},"fields":{}}}}`, want: &policy, why: "is registered for version",
		},
		"a NodeProfile": {
			key: "/registry/a.b.flatcar", data: "x", why: "is not the JSON",
			want: &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: "a.b.flatcar"}, Spec: v1beta1.NodeProfileSpec{NodeName: "a.b", Profile: "flatcar"}},
		},
		"a ledger":   {data: "x", want: &v1beta1.MaintenanceLedger{ObjectMeta: hold.ObjectMeta}, why: "is not the JSON"},
		"a profile":  {data: "x", want: &v1beta1.MaintenanceProfile{ObjectMeta: hold.ObjectMeta}, why: "is not the JSON"},
		"a endpoint": {data: "x", want: &v1beta1.MaintenanceEndpoint{ObjectMeta: hold.ObjectMeta}, why: "is not the JSON"},
		"an event":   {data: "x", want: &v1beta1.ScheduledEvent{ObjectMeta: hold.ObjectMeta}, why: "is not the JSON"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			key := test.key
			if key == "" {
				key = "/registry/a"
			}
			got := readAt(t, test.want, key, test.data)
			if why := v1beta1.WhyUnreadable(got); !strings.Contains(why, test.why) || len(got.GetAnnotations()) != 1 {
				t.Errorf("annotations %v, want only one that says %q", got.GetAnnotations(), test.why)
			}
			got.SetAnnotations(nil)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

// What can be read stays as it is.
func TestNothingToSetAside(t *testing.T) {
	if got := readAt(t, &v1beta1.NodeMaintenance{}, "/registry/a", newer); v1beta1.WhyUnreadable(got) != "" {
		t.Errorf("it is set aside: %s", v1beta1.WhyUnreadable(got))
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		data := `{"kind":"` + kind + `","apiVersion":"maintenance.medik8s.io/v1beta1","metadata":{"labels":{"a":"{}"},"name":"a"}}`
		example := decodedObject(t, data)
		if got := readAt(t, example, "/registry/a", data); v1beta1.WhyUnreadable(got) != "" || kindOf(got) != kind {
			t.Errorf("a %s is set aside as a %T: %s", kind, got, v1beta1.WhyUnreadable(got))
		}
	}
}

// The store decodes into an object that the caller has made. Nothing that this had may stay.
func TestSetAsideInto(t *testing.T) {
	into := &v1beta1.NodeMaintenance{Unknown: "x", Spec: v1beta1.NodeMaintenanceSpec{Reason: "of another one"}}
	data := `{"kind":"NodeMaintenance","apiVersion":"maintenance.medik8s.io/v1beta1","metadata":{"name":"a"},"spec":5}`
	got, _, err := Codec.Decode([]byte(data), nil, into)
	if err != nil || got != into || into.Name != "a" || into.Unknown != "" || into.Spec.Reason != "" || v1beta1.WhyUnreadable(into) == "" {
		t.Errorf("got %+v, error %v", got, err)
	}
	if got, _, err := Codec.Decode([]byte(data), nil, &v1beta1.NodeProfile{}); err == nil {
		t.Errorf("a NodeMaintenance became %+v", got)
	}
}

// failing fails to decrypt.
type failing struct {
	value.Transformer
	err error
}

func (f failing) TransformFromStorage(context.Context, []byte, value.Context) ([]byte, bool, error) {
	return nil, false, f.err
}

// What may be readable later is not set aside: nothing would say when it is.
func TestErrorsThatMayPass(t *testing.T) {
	down := grpcstatus.Error(codes.Unavailable, "the key service is down")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := map[string]struct {
		ctx  context.Context
		err  error
		want bool
	}{
		"the wrong key":              {ctx: t.Context(), err: errors.New("message authentication failed")},
		"the wrong keys":             {ctx: t.Context(), err: utilerrors.NewAggregate([]error{errors.New("a"), errors.New("b")})},
		"a key service":              {ctx: t.Context(), err: down, want: true},
		"a key service among others": {ctx: t.Context(), err: utilerrors.NewAggregate([]error{errors.New("a"), down}), want: true},
		"a request that has ended":   {ctx: ended, err: errors.New("a"), want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := SettingAside(failing{err: test.err}, &v1beta1.NodeMaintenance{}).TransformFromStorage(test.ctx, nil, value.DefaultContext("/registry/a"))
			if (err != nil) != test.want {
				t.Errorf("error %v, want one: %t", err, test.want)
			}
		})
	}
}

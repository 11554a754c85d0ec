// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	genericfuzzer "k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill/bytesource"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// FuzzValidation fills objects with values made from the input. Validation must not panic
// on any of them.
func FuzzValidation(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(binary.LittleEndian.AppendUint64(nil, seed))
	}
	codecs := serializer.NewCodecFactory(runtime.NewScheme())
	f.Fuzz(func(t *testing.T, input []byte) {
		filler := genericfuzzer.FuzzerFor(metafuzzer.Funcs, bytesource.New(input), codecs)
		var newNM, oldNM v1beta1.NodeMaintenance
		filler.Fill(&newNM)
		filler.Fill(&oldNM)

		ValidateNodeMaintenance(&newNM)
		ValidateNodeMaintenanceUpdate(&newNM, &oldNM)
		ValidateNodeMaintenanceStatusUpdate(&newNM, &oldNM)

		var newPolicy, oldPolicy v1beta1.MaintenancePolicy
		filler.Fill(&newPolicy)
		filler.Fill(&oldPolicy)
		ValidateMaintenancePolicy(&newPolicy)
		ValidateMaintenancePolicyUpdate(&newPolicy, &oldPolicy)
		ValidateMaintenancePolicyStatusUpdate(&newPolicy, &oldPolicy)
	})
}

// FuzzValidationOfJSON starts from what a client can send.
func FuzzValidationOfJSON(f *testing.F) {
	valid, err := json.Marshal(validNodeMaintenance())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(valid)
	f.Add([]byte(`{"Spec":{"NodeName":"` + "\x00" + `","Reason":"\ud800"}}`))
	f.Add([]byte(`{"Spec":{"Drain":{"PodSelector":{"matchExpressions":[{"operator":"In","values":[""]}]}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		nm := &v1beta1.NodeMaintenance{}
		if json.Unmarshal(body, nm) != nil {
			return
		}
		if errs := ValidateNodeMaintenance(nm); len(errs) > 0 {
			return
		}
		// What a create accepts, an update that changes nothing accepts too.
		if errs := ValidateNodeMaintenanceUpdate(nm, nm.DeepCopy()); len(errs) > 0 {
			t.Errorf("accepted by create and refused by update: %v", errs)
		}
	})
}

// FuzzPolicyJSON reads policies as clients write them.
func FuzzPolicyJSON(f *testing.F) {
	valid, err := json.Marshal(fullPolicy())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(valid)
	f.Add([]byte(`{"Spec":{"Schedule":{"TimeZone":"UTC","LastStartSeconds":1,"Windows":[{"Name":"a","From":"2026-12-05T20:00:00Z"}]}}}`))
	f.Add([]byte(`{"Spec":{"Limits":{"Topology":[{}]},"Gates":{"Start":[{}]},"NodeSelector":{"matchExpressions":[{"operator":"In","values":[""]}]}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		policy := &v1beta1.MaintenancePolicy{}
		if json.Unmarshal(body, policy) != nil || len(ValidateMaintenancePolicy(policy)) > 0 {
			return
		}
		if errs := ValidateMaintenancePolicyUpdate(policy, policy.DeepCopy()); len(errs) > 0 {
			t.Errorf("accepted by create and refused by update: %v", errs)
		}
	})
}

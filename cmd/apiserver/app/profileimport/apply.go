// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profileimport

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapimport"
)

// applyAll applies the objects to the cluster that the kubeconfig names.
func applyAll(ctx context.Context, kubeconfig string, result *sapimport.Result, out io.Writer) error {
	config, err := subcommand.Config(kubeconfig, timeout)
	if err != nil {
		return err
	}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	maintenance, err := versioned.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	return apply(ctx, kube, maintenance, result, out)
}

// apply creates or changes the objects, those first that others name. It stops at the first that is refused, and may be
// called again.
func apply(ctx context.Context, kube kubernetes.Interface, maintenance versioned.Interface, result *sapimport.Result, out io.Writer) error {
	for i := range result.Secrets {
		secret := &result.Secrets[i]
		did, err := put(ctx, kube.CoreV1().Secrets(secret.Namespace), secret, withData)
		if err := say(out, "secret/"+secret.Name, did, err); err != nil {
			return err
		}
	}
	for i := range result.Endpoints {
		endpoint := &result.Endpoints[i]
		did, err := put(ctx, maintenance.MaintenanceV1beta1().MaintenanceEndpoints(), endpoint, withEndpointSpec)
		if err := say(out, "maintenanceendpoint/"+endpoint.Name, did, err); err != nil {
			return err
		}
	}
	for i := range result.Profiles {
		profile := &result.Profiles[i]
		did, err := put(ctx, maintenance.MaintenanceV1beta1().MaintenanceProfiles(), profile, withProfileSpec)
		if err := say(out, "maintenanceprofile/"+profile.Name, did, err); err != nil {
			return err
		}
	}
	return nil
}

func say(out io.Writer, object, did string, err error) error {
	if err != nil {
		return fmt.Errorf("could not apply %s: %w", object, err)
	}
	fmt.Fprintf(out, "%s %s\n", object, did)
	return nil
}

// withData changes a Secret to what it should have.
func withData(stored, wanted *corev1.Secret) {
	stored.Data = map[string][]byte{}
	for key, value := range wanted.StringData {
		stored.Data[key] = []byte(value)
	}
}

// withEndpointSpec and withProfileSpec change an object to what it should be. The defaults are those that the server has
// set in what is stored.
func withEndpointSpec(stored, wanted *v1beta1.MaintenanceEndpoint) {
	full := wanted.DeepCopy()
	v1beta1.SetObjectDefaults_MaintenanceEndpoint(full)
	stored.Spec = full.Spec
}

func withProfileSpec(stored, wanted *v1beta1.MaintenanceProfile) {
	full := wanted.DeepCopy()
	v1beta1.SetObjectDefaults_MaintenanceProfile(full)
	stored.Spec = full.Spec
}

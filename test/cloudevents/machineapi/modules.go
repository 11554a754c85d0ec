// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machineapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// module is a Go module that has definitions of kinds among its files. It is no dependency of ours: nothing of it is
// compiled, and Cluster API cannot be imported without a replace directive of its own.
type module struct {
	path, version string
	// sum is what go.sum would say of the module.
	sum   string
	files []string
}

var (
	openShift = module{
		path: "github.com/openshift/api", version: "v0.0.0-20260813212709-d4bb0b443cb8",
		sum: "h1:SLdLnLLwLeQI5iJNOsRNYfb9mTme1G2FmmM2T7Nly44=",
		files: []string{
			"machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machines-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinesets-Default.crd.yaml",
			"machine/v1/zz_generated.crd-manifests/0000_10_control-plane-machine-set_01_controlplanemachinesets-Default.crd.yaml",
		},
	}
	clusterAPI = module{
		path: "sigs.k8s.io/cluster-api", version: "v1.14.2",
		sum: "h1:o3GFNaeNFAOEEMpDPfhCK+2CjmV6gtQ8yLEcUwCg7bA=",
		files: []string{
			"core/config/crd/bases/cluster.x-k8s.io_machines.yaml",
			"core/config/crd/bases/cluster.x-k8s.io_machinesets.yaml",
			"core/config/crd/bases/cluster.x-k8s.io_machinedeployments.yaml",
			"controlplane/kubeadm/config/crd/bases/controlplane.cluster.x-k8s.io_kubeadmcontrolplanes.yaml",
		},
	}
)

// definitions reads the definitions in the module. The module is downloaded unless Go's module cache has it.
func (m module) definitions(ctx context.Context) (read []*unstructured.Unstructured, err error) {
	dir, err := m.download(ctx)
	if err != nil {
		return nil, fmt.Errorf("could not download %s@%s: %w", m.path, m.version, err)
	}
	for _, file := range m.files {
		definition, err := readDefinition(filepath.Join(dir, file))
		if err != nil {
			return nil, fmt.Errorf("could not read a definition of %s@%s: %w", m.path, m.version, err)
		}
		read = append(read, definition)
	}
	return read, nil
}

// download returns the directory of the module in Go's module cache. Go runs in an empty directory, so that it changes no
// go.mod and no go.sum.
func (m module) download(ctx context.Context) (dir string, err error) {
	empty, err := os.MkdirTemp("", "")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(empty) }()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir, cmd.Env, cmd.Stderr = empty, append(os.Environ(), "GOWORK=off"), &stderr
	said, err := cmd.Output()
	var got struct{ Dir, Sum, Error string }
	if err := errors.Join(err, json.Unmarshal(said, &got)); err != nil {
		return "", fmt.Errorf("%w: %s%s", err, got.Error, stderr.String())
	}
	if got.Sum != m.sum {
		return "", fmt.Errorf("its sum is %s, not %s", got.Sum, m.sum)
	}
	return got.Dir, nil
}

func readDefinition(file string) (*unstructured.Unstructured, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text, err = yaml.YAMLToJSON(text)
	if err != nil {
		return nil, fmt.Errorf("could not parse %s: %w", file, err)
	}
	definition := &unstructured.Unstructured{}
	if err := definition.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("could not parse %s: %w", file, err)
	}
	return definition, nil
}

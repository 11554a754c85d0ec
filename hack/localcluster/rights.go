// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// RightsVariable names a directory in the environment. Each cluster that is started with it writes there, when it stops,
// which permissions our server has used.
const RightsVariable = "RIGHTS_DIR"

// releaseAccounts begins the names of the ServiceAccounts of the chart.
const releaseAccounts = "system:serviceaccount:" + ServerNamespace + ":"

// auditRightsRule is put before the rules of the audit policy, for requests that they leave out.
const auditRightsRule = `- level: Metadata
  userGroups: ["system:serviceaccounts:` + ServerNamespace + `"]
  resources:
  - group: coordination.k8s.io
    resources: [leases]
  - group: ""
    resources: [events]
  - group: events.k8s.io
    resources: [events]
`

// Right is the permission for one verb on one resource.
type Right struct {
	// Role is the kind and the name of the role that gives it, as in "ClusterRole maintenance-apiserver".
	Role string
	// Verb is the verb of the request.
	Verb string
	// Group is the API group, and Resource the resource, with its subresource as in pods/eviction.
	Group, Resource string
	// Name is the object's; empty stands for every object, and for requests that name none.
	Name string
}

// UsedRights reads what all clusters have written into the directory that RightsVariable named.
func UsedRights(dir string) (sets.Set[Right], error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("could not list the files of used permissions: %w", err)
	}
	used := sets.New[Right]()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("could not read used permissions: %w", err)
		}
		var rights []Right
		if err := json.Unmarshal(content, &rights); err != nil {
			return nil, fmt.Errorf("could not parse used permissions of %s: %w", file, err)
		}
		used.Insert(rights...)
	}
	return used, nil
}

// saveRights writes which permissions our server has used, if the environment asks for it.
func (c *Cluster) saveRights() error {
	dir := os.Getenv(RightsVariable)
	if dir == "" {
		return nil
	}
	log, err := os.Open(c.layout.auditLog())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // kube-apiserver never ran
	}
	if err != nil {
		return fmt.Errorf("could not open audit log: %w", err)
	}
	defer func() { _ = log.Close() }()
	used, err := readRights(log)
	if err != nil {
		return err
	}
	content, err := json.Marshal(used.UnsortedList())
	if err != nil {
		return fmt.Errorf("could not encode used permissions: %w", err)
	}
	return writeFile(filepath.Join(dir, filepath.Base(c.options.Dir)+".json"), content)
}

// readRights reads the permissions that our server has used, and not those of tests that act as it.
func readRights(log io.Reader) (sets.Set[Right], error) {
	used := sets.New[Right]()
	_, err := readAuditEvents(log, releaseAccounts, func(event *auditv1.Event) bool {
		if right, found := rightOf(event); found && strings.HasPrefix(event.UserAgent, binaries.MaintenanceAPIServer) {
			used.Insert(right)
		}
		return false
	})
	return used, err
}

// allowed is what kube-apiserver's audit log says of a request that a role allows.
var allowed = regexp.MustCompile(`^RBAC: allowed by .* of ((?:Cluster)?Role "[^"]+") to `)

// rightOf is the permission that the request has used; not found if no role was asked, or none allowed it.
func rightOf(event *auditv1.Event) (right Right, found bool) {
	of, by := event.ObjectRef, allowed.FindStringSubmatch(event.Annotations["authorization.k8s.io/reason"])
	if of == nil || by == nil || !strings.HasPrefix(event.User.Username, releaseAccounts) {
		return Right{}, false
	}
	right = Right{Role: strings.ReplaceAll(by[1], `"`, ""), Verb: event.Verb, Group: of.APIGroup, Resource: of.Resource, Name: of.Name}
	if of.Subresource != "" {
		right.Resource += "/" + of.Subresource
	}
	return right, true
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The audit policy of our server in the artifacts. In a real cluster it is mounted into the
// server's pod.
const (
	serverAuditConfigMap = "maintenance-apiserver-audit"
	serverAuditKey       = "policy.yaml"
)

// serverAuditPolicyFile is the name of its file in the configuration directory.
const serverAuditPolicyFile = "maintenance-apiserver-audit-policy.yaml"

// writeServerAuditPolicy writes the audit policy of the artifacts into a file for our server.
func (c *Cluster) writeServerAuditPolicy(objects []*unstructured.Unstructured) error {
	policy, err := serverAuditPolicy(objects)
	if err != nil {
		return err
	}
	return writeFile(c.layout.config(serverAuditPolicyFile), []byte(policy))
}

func serverAuditPolicy(objects []*unstructured.Unstructured) (string, error) {
	for _, object := range objects {
		if object.GetKind() != "ConfigMap" || object.GetName() != serverAuditConfigMap {
			continue
		}
		if policy, _, _ := unstructured.NestedString(object.Object, "data", serverAuditKey); policy != "" {
			return policy, nil
		}
	}
	return "", errors.New("the artifacts have no audit policy: want " + serverAuditKey + " in the ConfigMap " + serverAuditConfigMap)
}

// AuditLogPath returns the path of our server's own audit log, which says who started,
// changed and ended maintenance. kube-apiserver's audit log is another: see AuditEvents.
func (s *Server) AuditLogPath() string { return s.cluster.layout.log(s.name + "-audit") }

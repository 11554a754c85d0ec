// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import "path/filepath"

// serverAuditPolicy is the file with the audit policy of the chart. In a real cluster, a ConfigMap has its content.
func (c *Cluster) serverAuditPolicy() string {
	return filepath.Join(c.options.root, "chart", "files", "audit-policy.yaml")
}

// AuditLogPath returns the path of our server's own audit log, which says who started,
// changed and ended maintenance. kube-apiserver's audit log is another: see AuditEvents.
func (s *Server) AuditLogPath() string { return s.cluster.layout.log(s.name + "-audit") }

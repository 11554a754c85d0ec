// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/names"
)

// ClusterScoped are the rules that resources without namespaces share, to be embedded in their strategies.
type ClusterScoped struct {
	runtime.ObjectTyper
	names.NameGenerator
}

// NewClusterScoped returns the rules for types that the typer knows.
func NewClusterScoped(typer runtime.ObjectTyper) ClusterScoped {
	return ClusterScoped{typer, names.SimpleNameGenerator}
}

// NamespaceScoped is false.
func (ClusterScoped) NamespaceScoped() bool { return false }

// AllowCreateOnUpdate is false: a PUT that names no existing object is a 404.
func (ClusterScoped) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate is false, as for a custom resource: a PUT without a resourceVersion could undo what somebody
// has just changed.
func (ClusterScoped) AllowUnconditionalUpdate(context.Context) bool { return false }

// WarningsOnCreate returns none.
func (ClusterScoped) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

// WarningsOnUpdate returns none.
func (ClusterScoped) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// Canonicalize has nothing to do: there is one way to write each object.
func (ClusterScoped) Canonicalize(runtime.Object) {}

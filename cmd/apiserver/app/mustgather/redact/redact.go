// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package redact takes out of an object what may be private. It names what stays, not what goes: a field
// that a later version of Kubernetes adds is left out until somebody has looked at it.
package redact

import "strings"

// Fields say which fields of an object stay. A field with nothing below it stays whole.
type Fields map[string]Fields

// Keep returns Fields for paths such as spec.containers.name. A path goes through lists: it names the field
// of each of their items.
func Keep(paths ...string) Fields {
	fields := Fields{}
	for _, path := range paths {
		at := fields
		for name := range strings.SplitSeq(path, ".") {
			if at[name] == nil {
				at[name] = Fields{}
			}
			at = at[name]
		}
	}
	return fields
}

// Object returns a copy of an object with its kind, the metadata that is known to be harmless, and the given
// fields. The copy shares values with the object. What has an unexpected form is left out.
func Object(object map[string]any, fields Fields) map[string]any {
	kept := map[string]any{}
	for _, group := range []Fields{fields, everywhere} {
		for name, below := range group {
			if value := prune(object[name], below); value != nil {
				kept[name] = value
			}
		}
	}
	return kept
}

// everywhere is what stays of every kind. A key of the annotations may have dots, so that they are listed
// apart.
var everywhere = func() Fields {
	fields := Keep("apiVersion", "kind",
		"metadata.name", "metadata.generateName", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
		"metadata.generation", "metadata.creationTimestamp", "metadata.deletionTimestamp",
		"metadata.deletionGracePeriodSeconds", "metadata.labels", "metadata.finalizers", "metadata.ownerReferences",
		"metadata.managedFields.manager", "metadata.managedFields.operation", "metadata.managedFields.subresource",
		"metadata.managedFields.time", "metadata.managedFields.apiVersion")
	fields["metadata"]["annotations"] = annotations
	return fields
}()

func prune(value any, fields Fields) any {
	if len(fields) == 0 {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		return pruneMap(value, fields)
	case []any:
		return pruneList(value, fields)
	default:
		return nil
	}
}

func pruneMap(value map[string]any, fields Fields) any {
	kept := map[string]any{}
	for name, below := range fields {
		if field := prune(value[name], below); field != nil {
			kept[name] = field
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

func pruneList(value []any, fields Fields) any {
	kept := make([]any, 0, len(value))
	for _, item := range value {
		if field := prune(item, fields); field != nil {
			kept = append(kept, field)
		}
	}
	return kept
}

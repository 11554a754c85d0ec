// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/warning"

	legacyapi "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// shown is a hold, or a list of holds, with the metadata that old clients know. The conversion to an old
// version does the same, but metadata alone, and the rows of tables, are not converted. The object itself
// stays as it is: others may read it at the same time.
func shown(obj runtime.Object) runtime.Object {
	switch stored := obj.(type) {
	case *v1beta1.NodeMaintenance:
		hold := shownHold(*stored)
		return &hold
	case *v1beta1.NodeMaintenanceList:
		list := *stored
		list.Items = slices.Clone(stored.Items)
		for i := range list.Items {
			list.Items[i] = shownHold(list.Items[i])
		}
		return &list
	default:
		return obj
	}
}

func shownHold(hold v1beta1.NodeMaintenance) v1beta1.NodeMaintenance {
	hold.ObjectMeta = legacyapi.MetadataFromHub(hold.ObjectMeta)
	return hold
}

// shownEvents are the events of a watch with what shown makes of their objects. It ends with them, or with ctx.
func (g *group) shownEvents(ctx context.Context, stored watch.Interface) watch.Interface {
	name := g.String()
	return resource.EachEvent(ctx, stored, func(event watch.Event) (watch.Event, bool) {
		if shared, ok := event.Object.(runtime.CacheableObject); ok {
			event.Object = shownShared{event.Object, shared, name}
		} else {
			event.Object = shown(event.Object)
		}
		return event, true
	})
}

// shownShared is an object that is encoded once for all watches of the group that ask for the same.
type shownShared struct {
	runtime.Object
	shared runtime.CacheableObject
	group  string
}

// GetObject implements runtime.CacheableObject.
func (s shownShared) GetObject() runtime.Object { return shown(s.shared.GetObject()) }

// CacheEncode implements runtime.CacheableObject.
func (s shownShared) CacheEncode(id runtime.Identifier, encode func(runtime.Object, io.Writer) error, w io.Writer) error {
	encodeShown := func(stored runtime.Object, w io.Writer) error { return encode(shown(stored), w) }
	return s.shared.CacheEncode(runtime.Identifier(s.group)+" "+id, encodeShown, w)
}

// warner is a warning.Recorder.
type warner func(agent, text string)

// AddWarning implements warning.Recorder.
func (w warner) AddWarning(agent, text string) { w(agent, text) }

// inOldWords replaces in a warning what old clients do not know: our finalizer and fields.
var inOldWords = strings.NewReplacer(
	v1beta1.UncordonFinalizer, legacyapi.Finalizer,
	"status.plan is missing", "the drain was not planned",
	"status.plan", "status.lastError",
	"status.blockers", "status.lastError",
	"set spec.overrideQuorum", "set spec.overrideQuorum in "+v1beta1.GroupName,
)

// withShownWarnings returns the context of a request whose warnings name what old clients know.
func withShownWarnings(ctx context.Context) context.Context {
	return warning.WithWarningRecorder(ctx, warner(func(agent, text string) {
		warning.AddWarning(ctx, agent, inOldWords.Replace(text))
	}))
}

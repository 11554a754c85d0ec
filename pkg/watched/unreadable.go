// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package watched

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

const (
	eventComponent = "maintenance-apiserver"
	// eventCannotBeRead is the reason of the event on an object that cannot be read.
	eventCannotBeRead = "CannotBeRead"
)

// unreadable are the stored objects that this process knows it cannot read.
var unreadable = &objects{known: map[object]string{}}

// object is a stored object of this server.
type object struct{ resource, kind, name string }

type objects struct {
	mu sync.Mutex
	// known has why each cannot be read.
	known map[object]string
	// tell tells people of one; nil while this process does not lead.
	tell func(of object, why string)
}

// NoteUnreadable notes why a stored object cannot be read; empty: it can, or is gone.
func NoteUnreadable(resource, kind, name, why string) {
	registerMetrics()
	unreadable.note(object{resource, kind, name}, why)
}

// TellUnreadable writes an event for each stored object that cannot be read, while this process leads: until ctx is done.
func TellUnreadable(ctx context.Context, kube kubernetes.Interface) {
	recorder, stop := workloop.NewRecorder(kube, eventComponent, nil)
	defer stop()
	unreadable.tellThrough(recorder)
	defer unreadable.tellThrough(nil)
	<-ctx.Done()
}

func (o *objects) tellThrough(recorder record.EventRecorder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if recorder == nil {
		o.tell = nil
		return
	}
	o.tell = func(of object, why string) {
		about := &corev1.ObjectReference{APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: of.kind, Name: of.name}
		recorder.Event(about, corev1.EventTypeWarning, eventCannotBeRead, fmt.Sprintf(
			"the server cannot read what it has stored of it, does nothing for it, and leaves what it is for as it is: %s", why))
	}
	for of, why := range o.known {
		o.tell(of, why)
	}
}

func (o *objects) note(of object, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.known[of]
	switch {
	case before == why:
		return
	case why == "":
		delete(o.known, of)
		klog.Background().Info("A stored object can be read again, or is gone", "resource", of.resource, "name", of.name)
	default:
		o.known[of] = why
		klog.Background().Error(nil, "A stored object cannot be read, so nothing is done for it", "resource", of.resource, "name", of.name, "why", why)
		if o.tell != nil {
			o.tell(of, why)
		}
	}
	o.gauge(of.resource)
}

// gauge is called with the lock held.
func (o *objects) gauge(resource string) {
	count := 0
	for of := range o.known {
		if of.resource == resource {
			count++
		}
	}
	unreadableObjects.WithLabelValues(resource).Set(float64(count))
}

// follow takes notice of what the informer knows, until stop is called, when it has ended.
func (o *objects) follow(informer cache.SharedIndexInformer, resource, kind string) (stop func()) {
	o.mu.Lock()
	o.gauge(resource) // so that it is there
	o.mu.Unlock()
	note := func(obj any, gone bool) {
		if unknown, is := obj.(cache.DeletedFinalStateUnknown); is {
			obj = unknown.Obj
		}
		stored, is := obj.(metav1.Object)
		switch {
		case !is:
		case gone:
			o.note(object{resource, kind, stored.GetName()}, "")
		default:
			o.note(object{resource, kind, stored.GetName()}, v1beta1.WhyUnreadable(stored))
		}
	}
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{ // it fails only after it has run
		AddFunc: func(obj any) { note(obj, false) }, UpdateFunc: func(_, obj any) { note(obj, false) }, DeleteFunc: func(obj any) { note(obj, true) },
	})
	return func() {
		o.mu.Lock()
		names := slices.DeleteFunc(slices.Collect(maps.Keys(o.known)), func(of object) bool { return of.resource != resource })
		o.mu.Unlock()
		for _, of := range names {
			o.note(of, "")
		}
	}
}

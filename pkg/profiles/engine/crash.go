// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
)

// evaluated are the fields of the spec of a profile whose texts are evaluated: expressions, chains and templates.
var evaluated = sets.New("expression", "nameExpression", "patchExpression", "check", "title", "subject", "message")

// crashes remember which profiles have stopped after a crash, by name: to find out takes a walk through the spec.
type crashes struct {
	mu    sync.Mutex
	known map[string]knownCrash
}

type knownCrash struct {
	uid        types.UID
	generation int64
	// refused is how many texts the guard refused then.
	refused int
	found   *v1beta1.ProfileCrash
}

// knownProfile has the guard refuse what the stored status says that a process has died of. Every process does so, since
// all evaluate.
func (e *Engine) knownProfile(obj any) {
	if profile, is := obj.(*v1beta1.MaintenanceProfile); is && profile.Status.Crash != nil {
		e.config.Guard.Refuse(crashguard.RefusedError{Digest: profile.Status.Crash.Digest, Began: profile.Status.Crash.Began.Time})
	}
}

// goneProfile drops what is kept of a profile.
func (e *Engine) goneProfile(obj any) {
	name, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		return
	}
	if e.config.Forget != nil {
		e.config.Forget(name.Name)
	}
	e.crashes.mu.Lock()
	defer e.crashes.mu.Unlock()
	delete(e.crashes.known, name.Name)
}

// crash is what of a profile is not evaluated, since a process has died of it; nil: nothing. It is not to be changed.
func (e *Engine) crash(profile *v1beta1.MaintenanceProfile) *v1beta1.ProfileCrash {
	refused := e.config.Guard.Refuses()
	if refused == 0 {
		return nil
	}
	e.crashes.mu.Lock()
	defer e.crashes.mu.Unlock()
	known := e.crashes.known[profile.Name]
	if known.uid != profile.UID || known.generation != profile.Generation || known.refused != refused {
		known = knownCrash{profile.UID, profile.Generation, refused, e.findCrash(profile)}
		e.crashes.known[profile.Name] = known
	}
	return known.found
}

// findCrash returns the first text of a profile that the guard refuses; nil: there is none.
func (e *Engine) findCrash(profile *v1beta1.MaintenanceProfile) *v1beta1.ProfileCrash {
	spec, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&profile.Spec)
	if err != nil {
		return nil // a profile that was decoded can be encoded
	}
	return e.findIn(spec, field.NewPath("spec"), false)
}

func (e *Engine) findIn(value any, path *field.Path, isEvaluated bool) (found *v1beta1.ProfileCrash) {
	switch v := value.(type) {
	case string:
		if refusal, refused := e.config.Guard.Refused(v); refused && isEvaluated {
			return &v1beta1.ProfileCrash{
				Field: path.String(), Digest: refusal.Digest, Began: metav1.NewMicroTime(refusal.Began.Truncate(time.Microsecond)),
			}
		}
	case []any:
		for i := 0; i < len(v) && found == nil; i++ {
			found = e.findIn(v[i], path.Index(i), false)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if found = e.findIn(v[key], path.Child(key), evaluated.Has(key)); found != nil {
				return found
			}
		}
	}
	return found
}

// crashMessage says why a profile has stopped, and what to do.
func crashMessage(crash *v1beta1.ProfileCrash) string {
	return fmt.Sprintf("a process of the server died while it evaluated %s, which began at %s: write that text in another way,"+
		" or with one more space if the process died of something else", crash.Field, crash.Began.UTC().Format(time.RFC3339))
}

// tellCrash tells people that a profile has stopped, after that was stored.
func (s *statuses) tellCrash(before, after *v1beta1.MaintenanceProfile) {
	was, is := before.Status.Crash, after.Status.Crash
	if is == nil || was != nil && was.Digest == is.Digest {
		return
	}
	s.recorder.Event(&corev1.ObjectReference{
		APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "MaintenanceProfile", Name: after.Name, UID: after.UID,
		ResourceVersion: after.ResourceVersion,
	}, corev1.EventTypeWarning, eventStopped, crashMessage(is))
}

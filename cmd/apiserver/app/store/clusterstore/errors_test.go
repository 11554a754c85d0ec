// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
)

// What the cluster answers is told as what it means for the object, or left as it is where a user can act on it.
func TestInterpret(t *testing.T) {
	s := New(Config{Kind: testKind, Prefix: "/things"})
	resource := schema.GroupResource{Group: GroupVersion.Group, Resource: testKind.Resource}
	noKind := apierrors.NewGenericServerResponse(http.StatusNotFound, "get", schema.GroupResource{}, "", "", 0, true)
	busy := apierrors.NewTooManyRequests("busy", 7)
	for name, test := range map[string]struct {
		err  error
		want func(error) bool
	}{
		"nothing":         {want: func(err error) bool { return err == nil }},
		"no object":       {err: apierrors.NewNotFound(resource, "a"), want: storage.IsNotFound},
		"no kind":         {err: noKind, want: storage.IsInternalError},
		"exists":          {err: apierrors.NewAlreadyExists(resource, "a"), want: storage.IsExist},
		"overtaken":       {err: apierrors.NewConflict(resource, "a", nil), want: storage.IsConflict},
		"not permitted":   {err: apierrors.NewForbidden(resource, "a", nil), want: storage.IsInternalError},
		"unknown":         {err: apierrors.NewUnauthorized("who?"), want: storage.IsInternalError},
		"refused":         {err: apierrors.NewInvalid(schema.GroupKind{Kind: "StoredThing"}, "a", nil), want: storage.IsInternalError},
		"options refused": {err: apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil), want: apierrors.IsInvalid},
		"too large":       {err: errors.New("rpc error: " + tooLarge), want: apierrors.IsRequestEntityTooLargeError},
		"late":            {err: fmt.Errorf("get: %w", context.DeadlineExceeded), want: apierrors.IsTimeout},
		"client gone":     {err: &url.Error{Err: context.Canceled}, want: func(err error) bool { return errors.Is(err, context.Canceled) }},
		"no connection":   {err: &url.Error{Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, want: storage.IsUnreachable},
		"answer is lost":  {err: &url.Error{Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}}, want: isTimeoutToLeave},
		"history is gone": {err: apierrors.NewResourceExpired("too old"), want: apierrors.IsResourceExpired},
		"too much to do": {err: busy, want: func(err error) bool {
			seconds, ok := apierrors.SuggestsClientDelay(err)
			return ok && seconds == 7
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.interpret(test.err, "/things/a"); !test.want(err) {
				t.Errorf("got %v (%T)", err, err)
			}
		})
	}
}

// isTimeoutToLeave says whether clients take the error for one after which they may not repeat the request.
func isTimeoutToLeave(err error) bool {
	_, again := apierrors.SuggestsClientDelay(err)
	return apierrors.IsTimeout(err) && !again
}

// A list goes on below its own prefix, whatever slash the cluster's token begins with.
func TestContinueBelow(t *testing.T) {
	encode := func(key string) string {
		token, err := storage.EncodeContinue("/p"+key, "/p", 7)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	want := encode("a\x00")
	for name, token := range map[string]string{"with a slash": encode("/a\x00"), "without": want} {
		if got := continueBelow("/things/", token); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, token := range []string{"", "another format"} {
		if got := continueBelow("/things/", token); got != token {
			t.Errorf("got %q, want %q as it is", got, token)
		}
	}
}

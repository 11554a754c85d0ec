// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"errors"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestPlaceOf(t *testing.T) {
	const id = "i-0123456789abcdef0"
	tests := map[string]struct {
		providerID, label string
		want              place
	}{
		"a zone":                  {providerID: "aws:///eu-central-1a/" + id, want: place{"eu-central-1", id}},
		"an old id":               {providerID: "aws:///us-east-1a/i-0123abcd", want: place{"us-east-1", "i-0123abcd"}},
		"as a host":               {providerID: "aws://ap-southeast-2c/" + id, want: place{"ap-southeast-2", id}},
		"a local zone":            {providerID: "aws:///us-west-2-lax-1a/" + id, want: place{"us-west-2", id}},
		"a wavelength zone":       {providerID: "aws:///us-east-1-wl1-bos-wlz-1/" + id, want: place{"us-east-1", id}},
		"GovCloud":                {providerID: "aws:///us-gov-west-1b/" + id, want: place{"us-gov-west-1", id}},
		"an isolated region":      {providerID: "aws:///us-isob-east-1a/" + id, want: place{"us-isob-east-1", id}},
		"China":                   {providerID: "aws:///cn-north-1a/" + id, want: place{"cn-north-1", id}},
		"the sovereign cloud":     {providerID: "aws:///eusc-de-east-1a/" + id, want: place{"eusc-de-east-1", id}},
		"no zone":                 {providerID: "aws:////" + id, want: place{"", id}},
		"no zone, but a label":    {providerID: "aws:////" + id, label: "eu-west-3", want: place{"eu-west-3", id}},
		"the id alone":            {providerID: id, label: "eu-west-3", want: place{"eu-west-3", id}},
		"another host as zone":    {providerID: "aws:///evil.example.com#/" + id, want: place{"", id}},
		"another host as label":   {providerID: "aws:////" + id, label: "eu-west-1.evil.example.com/", want: place{"", id}},
		"no id of that length":    {providerID: "aws:///eu-central-1a/i-0123456789"},
		"Fargate":                 {providerID: "aws:///eu-central-1a/fargate-ip-10-0-0-1.ec2.internal"},
		"a hybrid node":           {providerID: "eks-hybrid:///eu-central-1/cluster/mi-0123456789abcdef0"},
		"another cloud":           {providerID: "gce://project/zone/" + id},
		"two ids":                 {providerID: "aws:///eu-central-1a/" + id + "," + id},
		"none":                    {},
		"more than the id":        {providerID: "aws:///eu-central-1a/" + id + "/x"},
		"a wrong zone, but label": {providerID: "aws:///use1-az1/" + id, label: "us-east-1", want: place{"us-east-1", id}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelTopologyRegion: test.label}},
				Spec:       corev1.NodeSpec{ProviderID: test.providerID},
			}
			if got, is := placeOf(node); got != test.want || is != (test.want.instance != "") {
				t.Errorf("got %+v, %t; want %+v", got, is, test.want)
			}
		})
	}
}

func TestTranslate(t *testing.T) {
	tests := map[string]struct {
		description     string
		want            v1beta1.ScheduledEventState
		wantDescription string
	}{
		"to come":            {description: "scheduled reboot", want: v1beta1.EventScheduled, wantDescription: "scheduled reboot"},
		"over":               {description: "[Completed] scheduled reboot", want: v1beta1.EventCompleted, wantDescription: "scheduled reboot"},
		"canceled":           {description: "[Canceled] scheduled reboot", want: v1beta1.EventCanceled, wantDescription: "scheduled reboot"},
		"in British English": {description: "[CANCELLED]scheduled reboot", want: v1beta1.EventCanceled, wantDescription: "scheduled reboot"},
		"only the state":     {description: "[Completed]", want: v1beta1.EventCompleted},
		"not at its start":   {description: "not [Completed]", want: v1beta1.EventScheduled, wantDescription: "not [Completed]"},
		"several lines":      {description: "one\n\ttwo\u202e", want: v1beta1.EventScheduled, wantDescription: `one two\u202e`},
		"none":               {want: v1beta1.EventScheduled},
		"too long":           {description: strings.Repeat("a", 2000), want: v1beta1.EventScheduled, wantDescription: strings.Repeat("a", 1021) + "..."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := translate("i-1", types.InstanceStatusEvent{
				Code: "instance-stop", Description: sdk.String(test.description), NotBefore: sdk.Time(at(1).Add(time.Millisecond)), NotAfter: &time.Time{},
			})
			if got.State != test.want || got.Description != test.wantDescription {
				t.Errorf("got %q, %q; want %q, %q", got.State, got.Description, test.want, test.wantDescription)
			}
			if got.ID != "i-1.instance-stop" || !got.NotBefore.Time.Equal(at(1)) || got.NotAfter != nil || got.Deadline != nil {
				t.Errorf("got %+v, want the instance and the code as the id, and one time in whole seconds", got)
			}
		})
	}
}

func TestTranslateTimes(t *testing.T) {
	tests := map[string]struct {
		notBefore, notAfter, want *time.Time
	}{
		"in order":          {notBefore: sdk.Time(at(1)), notAfter: sdk.Time(at(2)), want: sdk.Time(at(2))},
		"put off":           {notBefore: sdk.Time(at(3)), notAfter: sdk.Time(at(2))},
		"only an end":       {notAfter: sdk.Time(at(2)), want: sdk.Time(at(2))},
		"only a beginning":  {notBefore: sdk.Time(at(3))},
		"at the same time":  {notBefore: sdk.Time(at(2)), notAfter: sdk.Time(at(2)), want: sdk.Time(at(2))},
		"no time at all":    {},
		"zero is not known": {notBefore: sdk.Time(at(3)), notAfter: &time.Time{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ends := translate("i-1", types.InstanceStatusEvent{NotBefore: test.notBefore, NotAfter: test.notAfter}).NotAfter
			until := translate("i-1", types.InstanceStatusEvent{NotBefore: test.notBefore, NotBeforeDeadline: test.notAfter}).Deadline
			for what, got := range map[string]*metav1.Time{"notAfter": ends, "deadline": until} {
				if (got == nil) != (test.want == nil) || got != nil && !got.Time.Equal(*test.want) {
					t.Errorf("%s: got %v, want %v", what, got, test.want)
				}
			}
		})
	}
}

func TestValidate(t *testing.T) {
	for endpoint, want := range map[string]string{
		"":                                       "",
		"https://ec2.eu-central-1.amazonaws.com": "",
		"https://vpce-1.ec2.eu-central-1.vpce.amazonaws.com:443/": "",
		"http://127.0.0.1:8000":                                   "",
		"http://[::1]:8000":                                       "",
		"http://localhost":                                        "",
		"http://ec2.example.com":                                  "must begin with https://",
		"ec2.example.com":                                         "must be a URL",
		"ftp://ec2.example.com":                                   "must be a URL",
		"https://":                                                "must be a URL",
		"https://me:secret@ec2.example.com":                       "must not have a user",
		"https://ec2.example.com?a":                               "must not have a user",
	} {
		t.Run(endpoint, func(t *testing.T) {
			err := errors.Join((&Settings{Endpoint: endpoint}).Validate()...)
			if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

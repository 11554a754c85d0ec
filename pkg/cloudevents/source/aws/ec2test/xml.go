// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package ec2test

import (
	"encoding/xml"
	"time"
)

// statusBody is the answer to DescribeInstanceStatus.
type statusBody struct {
	XMLName   xml.Name `xml:"http://ec2.amazonaws.com/doc/2016-11-15/ DescribeInstanceStatusResponse"`
	RequestID string   `xml:"requestId"`
	Statuses  []status `xml:"instanceStatusSet>item"`
	NextToken string   `xml:"nextToken,omitempty"`
}

type status struct {
	InstanceID string  `xml:"instanceId"`
	Events     []event `xml:"eventsSet>item"`
	State      string  `xml:"instanceState>name"`
}

type event struct {
	ID          string `xml:"instanceEventId,omitempty"`
	Code        string `xml:"code"`
	Description string `xml:"description"`
	NotBefore   string `xml:"notBefore,omitempty"`
	NotAfter    string `xml:"notAfter,omitempty"`
	Deadline    string `xml:"notBeforeDeadline,omitempty"`
}

// failureBody is the answer to a request that is refused.
type failureBody struct {
	XMLName   xml.Name      `xml:"Response"`
	Errors    []failureItem `xml:"Errors>Error"`
	RequestID string        `xml:"RequestID"`
}

type failureItem struct {
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
}

func newStatus(instance string, events []Event) status {
	s := status{InstanceID: instance, State: "running"}
	for _, e := range events {
		s.Events = append(s.Events, event{
			ID: e.ID, Code: e.Code, Description: e.Description,
			NotBefore: stamp(e.NotBefore), NotAfter: stamp(e.NotAfter), Deadline: stamp(e.Deadline),
		})
	}
	return s
}

// stamp writes a time as EC2 does; empty if it is zero.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

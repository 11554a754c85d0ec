// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// eventPrefix is how the names of ScheduledEvents begin that are MachineMaintenances.
const eventPrefix = "mm."

// EventName is the name of the ScheduledEvent that a MachineMaintenance is. Namespaces have no dots, so it can be taken
// apart again.
func EventName(namespace, name string) string { return eventPrefix + namespace + "." + name }

// SplitEventName takes the name of a ScheduledEvent apart. It says no if it is not that of a MachineMaintenance.
func SplitEventName(event string) (namespace, name string, is bool) {
	rest, begins := strings.CutPrefix(event, eventPrefix)
	namespace, name, has := strings.Cut(rest, ".")
	if !begins || !has || namespace == "" || name == "" {
		return "", "", false
	}
	return namespace, name, true
}

// OtherUID is the UID of a MachineMaintenance by that of its ScheduledEvent, and the other way round. To the garbage
// collector of the cluster the two are two objects, and two objects never have one UID. In the last part of the UID, each
// hexadecimal digit is replaced by the one that makes fifteen with it.
func OtherUID(uid types.UID) types.UID {
	last := strings.LastIndexByte(string(uid), '-') + 1
	return uid[:last] + types.UID(strings.Map(otherDigit, string(uid[last:])))
}

const hexDigits = "0123456789abcdef"

func otherDigit(digit rune) rune {
	at := strings.IndexRune(hexDigits, digit)
	if at < 0 {
		return digit
	}
	return rune(hexDigits[len(hexDigits)-1-at])
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"fmt"
	"strings"
	"time"
)

// LoadZone returns the time zone with a name of the IANA database, such as Europe/Berlin or UTC. Names that depend on
// the machine are refused.
func LoadZone(name string) (*time.Location, error) {
	const use = "use a name of the IANA database, such as Europe/Berlin or UTC"
	switch {
	case name == "":
		return nil, fmt.Errorf("has no name: %s", use)
	case dependsOnMachine(name):
		return nil, fmt.Errorf("%q may mean another time on each machine: %s", name, use)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q is not known: %s; capitals matter", name, use)
	}
	return zone, nil
}

// dependsOnMachine says whether a name is only known to some machines. Beside the database, these have files for the
// zone that an admin chose, and a second copy of all zones that counts leap seconds.
func dependsOnMachine(name string) bool {
	switch name {
	case "Local", "localtime", "posixrules", "Factory":
		return true
	}
	return strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/")
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// ZoneInURL stands for the zone in Settings.URL.
const ZoneInURL = "$AZ"

const (
	// DefaultInterval is the default of Settings.Interval.
	DefaultInterval = time.Minute
	// DefaultShutdownTimeout is the default of Settings.ShutdownTimeout.
	DefaultShutdownTimeout = 2 * time.Minute
)

// Settings are what an admin sets.
type Settings struct {
	// URL is the address of the vCenters with https, without /sdk. ZoneInURL in it is replaced by the zone. Required.
	URL string
	// CredentialsDir is a directory with the files ZONE.username and ZONE.password for each zone, such as a mounted
	// Secret. They are read at each login. Required.
	CredentialsDir string
	// CAFile has the certificates, as PEM, of the CAs of the vCenters. Default: those of the system.
	CAFile string
	// Insecure accepts any certificate.
	Insecure bool
	// Alarms are the names of alarms whose hosts count as in maintenance.
	Alarms []string
	// Interval is the time between two rounds. Rounds are closer while something is under way.
	Interval time.Duration
	// ShutdownTimeout is how long a guest may take to shut down before its machine is powered off.
	ShutdownTimeout time.Duration
}

// Validate says what is wrong with the settings.
func (s *Settings) Validate() error {
	parsed, err := url.Parse(strings.ReplaceAll(s.URL, ZoneInURL, "1")) // a digit may be in a name and in a port
	switch {
	case err != nil || (parsed.Scheme != "https" && parsed.Scheme != "http") || parsed.Hostname() == "":
		return fmt.Errorf("the URL of the vCenters must be as in https://vcenter-%s.example.com", ZoneInURL)
	case parsed.User != nil:
		return errors.New("the URL of the vCenters must not have a user or a password: they are read from files")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return errors.New("the URL of the vCenters must not have a ? or a #")
	case s.CredentialsDir == "":
		return errors.New("the directory with the credentials of the vCenters is not set")
	case s.Interval < time.Second || s.ShutdownTimeout < time.Second:
		return errors.New("the interval of the rounds and the timeout of a shutdown must be at least 1s")
	case s.Insecure && s.CAFile != "":
		return errors.New("to accept any certificate and to have a file of CAs exclude each other")
	default:
		return nil
	}
}

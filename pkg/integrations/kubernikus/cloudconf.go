// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubernikus

import (
	"fmt"
	"os"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudconf"
)

// access is how to log in, and where the servers are.
type access struct {
	gophercloud.AuthOptions
	region string
}

// readAccess reads a file in the format of OpenStack's cloud provider. Its errors have nothing of what is in it.
func readAccess(path string) (access, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return access{}, fmt.Errorf("could not read the credentials for OpenStack: %w", err)
	}
	login, err := cloudconf.Parse(content)
	if err != nil {
		return access{}, fmt.Errorf("the file with the credentials for OpenStack %w", err)
	}
	return access{region: login.Region, AuthOptions: optionsOf(login)}, nil
}

// optionsOf leaves out what the library does not want beside the rest: a domain beside the ID of a user or of a project,
// a user beside the ID of a credential, and a project beside any credential.
func optionsOf(l cloudconf.Login) gophercloud.AuthOptions {
	options := gophercloud.AuthOptions{IdentityEndpoint: l.AuthURL}
	if l.CredentialSecret != "" {
		options.ApplicationCredentialSecret = l.CredentialSecret
		if options.ApplicationCredentialID = l.CredentialID; l.CredentialID != "" {
			return options
		}
		options.ApplicationCredentialName = l.CredentialName
	} else {
		options.Password, options.Scope = l.Password, scopeOf(l)
	}
	if options.UserID = l.UserID; l.UserID == "" {
		options.Username, options.DomainID, options.DomainName = l.Username, l.UserDomain.ID, l.UserDomain.Name
	}
	return options
}

func scopeOf(l cloudconf.Login) *gophercloud.AuthScope {
	if l.ProjectID != "" {
		return &gophercloud.AuthScope{ProjectID: l.ProjectID}
	}
	return &gophercloud.AuthScope{ProjectName: l.ProjectName, DomainID: l.ProjectDomain.ID, DomainName: l.ProjectDomain.Name}
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import "github.com/medik8s/maintenance-apiserver/pkg/cloudconf"

// The request for a token, as version 3 of Keystone's API has it.
type (
	tokenRequest struct {
		Auth tokenAuth `json:"auth"`
	}
	tokenAuth struct {
		Identity tokenIdentity `json:"identity"`
		Scope    *tokenScope   `json:"scope,omitempty"`
	}
	tokenIdentity struct {
		Methods    []string         `json:"methods"`
		Password   *tokenPassword   `json:"password,omitempty"`
		Credential *tokenCredential `json:"application_credential,omitempty"`
	}
	tokenPassword struct {
		User tokenUser `json:"user"`
	}
	tokenUser struct {
		ID       string  `json:"id,omitempty"`
		Name     string  `json:"name,omitempty"`
		Domain   *domain `json:"domain,omitempty"`
		Password string  `json:"password,omitempty"`
	}
	tokenCredential struct {
		ID     string     `json:"id,omitempty"`
		Name   string     `json:"name,omitempty"`
		Secret string     `json:"secret"`
		User   *tokenUser `json:"user,omitempty"`
	}
	tokenScope struct {
		Project tokenProject `json:"project"`
	}
	tokenProject struct {
		ID     string  `json:"id,omitempty"`
		Name   string  `json:"name,omitempty"`
		Domain *domain `json:"domain,omitempty"`
	}
	// domain is the id or the name of a domain.
	domain struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	}
)

func domainOf(named cloudconf.Domain) *domain { return new(domain(named)) }

// request is what Keystone is asked with.
func (l login) request() tokenRequest {
	if l.CredentialSecret != "" {
		return tokenRequest{Auth: tokenAuth{Identity: tokenIdentity{
			Methods: []string{"application_credential"}, Credential: l.credential(),
		}}}
	}
	user := l.user()
	user.Password = l.Password
	return tokenRequest{Auth: tokenAuth{
		Identity: tokenIdentity{Methods: []string{"password"}, Password: &tokenPassword{User: user}},
		Scope:    l.scope(),
	}}
}

// credential names the user only if the credential has no id: names are those of a user.
func (l login) credential() *tokenCredential {
	if l.CredentialID != "" {
		return &tokenCredential{ID: l.CredentialID, Secret: l.CredentialSecret}
	}
	user := l.user()
	return &tokenCredential{Name: l.CredentialName, Secret: l.CredentialSecret, User: &user}
}

func (l login) user() tokenUser {
	if l.UserID != "" {
		return tokenUser{ID: l.UserID}
	}
	return tokenUser{Name: l.Username, Domain: domainOf(l.UserDomain)}
}

func (l login) scope() *tokenScope {
	switch {
	case l.ProjectID != "":
		return &tokenScope{Project: tokenProject{ID: l.ProjectID}}
	case l.ProjectName != "":
		return &tokenScope{Project: tokenProject{Name: l.ProjectName, Domain: domainOf(l.ProjectDomain)}}
	default:
		return nil
	}
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cloudconf reads files in the format of OpenStack's cloud provider, such as cloudprovider.conf: where Keystone
// is, and how to log in there.
package cloudconf

import (
	"cmp"
	"errors"

	"gopkg.in/ini.v1"
)

// Login is what the section Global says. What it does not say is empty.
type Login struct {
	// AuthURL is the address of Keystone.
	AuthURL string
	// Region is where the servers are.
	Region string
	// CredentialID, CredentialName and CredentialSecret are an application credential: by its ID, or by its name and user.
	CredentialID, CredentialName, CredentialSecret string
	// UserID or Username, with UserDomain, is the user, and Password is the user's.
	UserID, Username, Password string
	UserDomain                 Domain
	// ProjectID or ProjectName, with ProjectDomain, is the project.
	ProjectID, ProjectName string
	ProjectDomain          Domain
}

// Domain is a domain of Keystone, by its ID or its name.
type Domain struct {
	ID, Name string
}

// Why a file cannot be used. The texts follow the name of the file in a sentence, and have nothing of what is in it.
var (
	errFormat      = errors.New("is not in the format of OpenStack's cloud provider")
	errURL         = errors.New("has no auth-url in its section Global")
	errCredentials = errors.New("has neither username and password nor an application credential in its section Global")
)

// Parse reads a file. Its error is to follow the name of the file, and has nothing of what is in it.
func Parse(file []byte) (Login, error) {
	read, err := ini.LoadSources(ini.LoadOptions{IgnoreContinuation: true, IgnoreInlineComment: true, Insensitive: true}, file)
	if err != nil {
		return Login{}, errFormat // the library's error quotes a line
	}
	l := global{read.Section("global")}.login()
	return l, l.complete()
}

// Region reads only the region; empty if there is none, or the file cannot be read.
func Region(file []byte) string {
	l, _ := Parse(file) // it may have a region, and lack credentials
	return l.Region
}

// global is the section Global.
type global struct{ *ini.Section }

func (g global) login() Login {
	return Login{
		AuthURL: g.first("auth-url"), Region: g.first("region"),
		CredentialID: g.first("application-credential-id"), CredentialName: g.first("application-credential-name"),
		CredentialSecret: g.first("application-credential-secret"),
		UserID:           g.first("user-id"), Username: g.first("username"), Password: g.first("password"),
		UserDomain:    Domain{ID: g.first("user-domain-id", "domain-id"), Name: g.first("user-domain-name", "domain-name")},
		ProjectID:     g.first("tenant-id"),
		ProjectName:   g.first("tenant-name"),
		ProjectDomain: Domain{ID: g.first("tenant-domain-id", "domain-id"), Name: g.first("tenant-domain-name", "domain-name")},
	}
}

// first returns the first of the keys that has a value.
func (g global) first(keys ...string) string {
	values := make([]string, len(keys))
	for i, key := range keys {
		values[i] = g.Key(key).String()
	}
	return cmp.Or(values...)
}

// complete fails if something is missing without which nobody can log in.
func (l Login) complete() error {
	byCredential := l.CredentialSecret != "" && l.CredentialID+l.CredentialName != ""
	byPassword := l.Password != "" && l.UserID+l.Username != ""
	switch {
	case l.AuthURL == "":
		return errURL
	case !byCredential && !byPassword:
		return errCredentials
	default:
		return nil
	}
}

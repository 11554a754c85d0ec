// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// get reads a path of a server. Any status is an answer, that of a redirect too, which is not followed.
func get(ctx context.Context, server *endpoint.HTTP, path string) (expression.Response, error) {
	target, err := below(server.Base, path)
	if err != nil {
		return expression.Response{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return expression.Response{}, err
	}
	request.Header.Set("Accept", "application/json, */*")
	response, err := server.Client.Do(request)
	if err != nil {
		return expression.Response{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body) // the client bounds it
	if err != nil {
		return expression.Response{}, err
	}
	return expression.Response{
		Status: response.StatusCode, Headers: headers(response.Header), Body: strings.ToValidUTF8(string(body), "\uFFFD"),
	}, nil
}

// errLeaves is for paths that would reach what the endpoint does not name.
var errLeaves = errors.New(`the path must not have "..", since it is below the URL of the endpoint`)

// below adds a path, which may have a query, to the URL of an endpoint.
func below(base *url.URL, path string) (*url.URL, error) {
	if path == "" {
		return base, nil
	}
	added, err := url.Parse("/" + strings.TrimLeft(path, "/"))
	if err != nil {
		return nil, errors.New("the path is not valid in a URL")
	}
	if slices.Contains(strings.Split(added.Path, "/"), "..") {
		return nil, errLeaves
	}
	target := base
	if added.Path != "/" {
		target = base.JoinPath(added.EscapedPath())
	}
	withQuery := *target
	withQuery.RawQuery = added.RawQuery
	return &withQuery, nil
}

// headers has the names in lower case, and several values joined.
func headers(from http.Header) map[string]string {
	made := make(map[string]string, len(from))
	for name, values := range from {
		made[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return made
}

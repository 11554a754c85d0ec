// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package ec2test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxInstances is the most instances that EC2 lets one request name.
const maxInstances = 100

var (
	// scope finds the region in a signature: Credential=KEY/DATE/REGION/ec2/aws4_request.
	scope = regexp.MustCompile(`Credential=[^/]+/[0-9]{8}/([^/]+)/ec2/aws4_request`)
	// instanceID is an id that EC2 takes.
	instanceID = regexp.MustCompile(`^i-([0-9a-f]{8}|[0-9a-f]{17})$`)
)

// failure is an error as EC2 answers it.
type failure struct {
	status        int
	code, message string
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	request, refused := read(r)
	if refused == nil {
		refused = s.trouble(r, request)
	}
	if refused == nil {
		refused = s.check(request)
	}
	if refused != nil {
		write(w, refused.status, failureBody{Errors: []failureItem{{Code: refused.code, Message: refused.message}}, RequestID: "failed"})
		return
	}
	write(w, http.StatusOK, s.page(request))
}

// read reads a request, as forms and signatures have it.
func read(r *http.Request) (Request, *failure) {
	signed := scope.FindStringSubmatch(r.Header.Get("Authorization"))
	if signed == nil {
		return Request{}, &failure{http.StatusUnauthorized, "AuthFailure", "the request is not signed for EC2"}
	}
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.Form.Get("Action") != "DescribeInstanceStatus" {
		return Request{}, &failure{http.StatusBadRequest, "InvalidAction", "the action is not DescribeInstanceStatus"}
	}
	return Request{
		Region: signed[1], Instances: numbered(r.Form, "InstanceId."), All: r.Form.Get("IncludeAllInstances") == "true", Page: r.Form.Get("NextToken"),
	}, nil
}

// numbered returns the values of NAME1, NAME2 and so on.
func numbered(form url.Values, name string) (values []string) {
	for i := 1; form.Has(name + strconv.Itoa(i)); i++ {
		values = append(values, form.Get(name+strconv.Itoa(i)))
	}
	return values
}

// trouble returns what goes wrong with the request.
func (s *Server) trouble(r *http.Request, request Request) *failure {
	switch s.next(request) {
	case Throttled:
		return &failure{http.StatusServiceUnavailable, "RequestLimitExceeded", "Request limit exceeded."}
	case Failing:
		return &failure{http.StatusInternalServerError, "InternalError", "An internal error has occurred."}
	case Denied:
		return &failure{http.StatusForbidden, "UnauthorizedOperation", "You are not authorized to perform this operation."}
	case Hanging:
		select {
		case <-r.Context().Done():
		case <-s.ended:
		}
		return &failure{http.StatusInternalServerError, "InternalError", "The server has ended."}
	default:
		return nil
	}
}

// check refuses what EC2 refuses.
func (s *Server) check(request Request) *failure {
	if len(request.Instances) > maxInstances {
		return &failure{http.StatusBadRequest, "InvalidParameterValue", "The maximum number of instance IDs is 100"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []string
	for _, id := range request.Instances {
		if !instanceID.MatchString(id) {
			return &failure{http.StatusBadRequest, "InvalidInstanceID.Malformed", fmt.Sprintf("Invalid id: %q", id)}
		}
		if _, exists := s.instances[request.Region][id]; !exists {
			gone = append(gone, id)
		}
	}
	switch len(gone) {
	case 0:
		return nil
	case 1:
		return &failure{http.StatusBadRequest, "InvalidInstanceID.NotFound", fmt.Sprintf("The instance ID '%s' does not exist", gone[0])}
	default:
		return &failure{http.StatusBadRequest, "InvalidInstanceID.NotFound", fmt.Sprintf("The instance IDs '%s' do not exist", strings.Join(gone, ", "))}
	}
}

// page returns the page that the request wants. Its token is the place of its first instance.
func (s *Server) page(request Request) statusBody {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, _ := strconv.Atoi(request.Page)
	ids := slices.Sorted(slices.Values(request.Instances))
	ids = ids[min(from, len(ids)):]
	body := statusBody{RequestID: "done"}
	if len(ids) > s.pageSize {
		ids, body.NextToken = ids[:s.pageSize], strconv.Itoa(from+s.pageSize)
	}
	for _, id := range ids {
		if !s.hidden[id] {
			body.Statuses = append(body.Statuses, newStatus(id, s.instances[request.Region][id]))
		}
	}
	return body
}

func write(w http.ResponseWriter, status int, body any) {
	content, err := xml.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write(append([]byte(xml.Header), content...))
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapinfo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// Path is where the controller answers. Who serves it must see to it that only those ask who may list NodeProfiles.
const Path = "/api/v1/info"

// Config is what a Handler is made from.
type Config struct {
	// Maintenance reads profiles and NodeProfiles of this server.
	Maintenance versioned.Interface
	// Nodes are all nodes, from memory. It fails while they are not known.
	Nodes func() ([]*corev1.Node, error)
	// Labels are the labels of nodes that are shown.
	Labels []string
}

// Handler answers with the state of all nodes and profiles.
type Handler struct {
	config Config
}

// New returns a Handler.
func New(config Config) *Handler { return &Handler{config: config} }

// ServeHTTP answers GET and HEAD.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET is possible", http.StatusMethodNotAllowed)
		return
	}
	made, err := h.infos(r.Context())
	if err != nil {
		klog.FromContext(r.Context()).Error(err, "Could not answer a dashboard")
		write(w, http.StatusServiceUnavailable, map[string]string{"error": err.Error()})
		return
	}
	write(w, http.StatusOK, made)
}

func write(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // who asks may have gone
}

func (h *Handler) infos(ctx context.Context) ([]nodeInfo, error) {
	nodes, err := h.config.Nodes()
	if err != nil {
		return nil, err
	}
	fromMemory := metav1.ListOptions{ResourceVersion: "0"}
	profiles, err := h.config.Maintenance.MaintenanceV1beta1().MaintenanceProfiles().List(ctx, fromMemory)
	if err != nil {
		return nil, fmt.Errorf("could not list profiles: %w", err)
	}
	nodeProfiles, err := h.config.Maintenance.MaintenanceV1beta1().NodeProfiles().List(ctx, fromMemory)
	if err != nil {
		return nil, fmt.Errorf("could not list NodeProfiles: %w", err)
	}
	byName := map[string]*v1beta1.MaintenanceProfile{}
	for i := range profiles.Items {
		byName[profiles.Items[i].Name] = &profiles.Items[i]
	}
	return infos(nodes, nodeProfiles.Items, byName, h.config.Labels), nil
}

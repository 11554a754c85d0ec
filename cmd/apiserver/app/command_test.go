// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/buildversion"
)

func TestVersionNamesTheProduct(t *testing.T) {
	var out bytes.Buffer
	command := NewCommand(t.Context())
	command.SetOut(&out)
	command.SetArgs([]string{"--version"})
	if err := command.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := "maintenance-apiserver " + buildversion.Get().String() + "\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// However much is logged, no Secret is.
func TestLogsHaveNoBodies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	defer klog.CaptureState().Restore()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := errors.Join(flags.Set("v", "10"), flags.Set("logtostderr", "false")); err != nil {
		t.Fatal(err)
	}
	klog.SetOutput(&log)
	klog.SetLogFilter(withoutBodies{})
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"password": "hunter2"}}
	created, err := client.CoreV1().Secrets("a").Create(klog.NewContext(t.Context(), klog.Background()), secret, metav1.CreateOptions{})
	klog.Flush()
	if err != nil || created.StringData["password"] != "hunter2" {
		t.Fatalf("got %v, error %v", created, err)
	}
	if got := log.String(); strings.Contains(got, "hunter2") || !strings.Contains(got, `"Response Body" body="(not shown)"`) {
		t.Errorf("logged, want bodies that are not shown:\n%s", got)
	}
}

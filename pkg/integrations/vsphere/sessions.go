// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

const (
	// userAgent is by what admins of a vCenter know our sessions.
	userAgent = "maintenance-apiserver"
	// requestTimeout bounds each request to a vCenter.
	requestTimeout = 30 * time.Second
	// logoutTimeout bounds how long the end of a term waits for vCenters.
	logoutTimeout = 2 * time.Second
)

// sessions has one session at the vCenter of each zone, and uses it again until that ends it.
type sessions struct {
	settings Settings
	fence    integrations.Fence
	// logoutTimeout bounds how long close takes.
	logoutTimeout time.Duration

	mu   sync.Mutex
	open map[string]*vim25.Client
}

func newSessions(settings Settings, fence integrations.Fence) *sessions {
	return &sessions{settings: settings, fence: fence, logoutTimeout: logoutTimeout, open: map[string]*vim25.Client{}}
}

// use calls the vCenter of a zone. If the session has ended meanwhile, it logs in and calls again.
func (s *sessions) use(ctx context.Context, zone string, call func(*vim25.Client) error) error {
	client, known, err := s.client(ctx, zone)
	if err != nil {
		return err
	}
	err = call(client)
	if !known || !fault.Is(err, &types.NotAuthenticated{}) {
		return err
	}
	s.drop(zone)
	if client, _, err = s.client(ctx, zone); err != nil {
		return err
	}
	return call(client)
}

// client returns the session of a zone, and whether there was one already.
func (s *sessions) client(ctx context.Context, zone string) (client *vim25.Client, known bool, err error) {
	s.mu.Lock()
	client = s.open[zone]
	s.mu.Unlock()
	if client != nil {
		return client, true, nil
	}
	if client, err = s.login(ctx, zone); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[zone] = client
	return client, false, nil
}

func (s *sessions) drop(zone string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, zone)
}

// login logs in. The credentials are no part of the URL, so that no error has them.
func (s *sessions) login(ctx context.Context, zone string) (*vim25.Client, error) {
	user, err := s.settings.credentials(zone)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(strings.ReplaceAll(s.settings.URL, ZoneInURL, zone))
	if err != nil {
		return nil, fmt.Errorf("could not use the URL of the vCenter of zone %s: %w", zone, err)
	}
	server := soap.NewClient(address.JoinPath(vim25.Path), s.settings.Insecure)
	server.Timeout, server.UserAgent = requestTimeout, userAgent
	if s.settings.CAFile != "" {
		if err := server.SetRootCAs(s.settings.CAFile); err != nil {
			return nil, fmt.Errorf("could not read the CAs of the vCenters: %w", err)
		}
	}
	server.Transport = s.fence.Wrap(server.Transport)
	client, err := vim25.NewClient(ctx, server)
	if err != nil {
		return nil, fmt.Errorf("could not reach the vCenter of zone %s: %w", zone, err)
	}
	if err := session.NewManager(client).Login(ctx, user); err != nil {
		return nil, fmt.Errorf("could not log in at the vCenter of zone %s: %w", zone, err)
	}
	return client, nil
}

// close logs out everywhere, at once. A session that cannot be ended ends by itself.
func (s *sessions) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.logoutTimeout)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	var leaving sync.WaitGroup
	for zone, client := range s.open {
		leaving.Go(func() {
			_ = session.NewManager(client).Logout(ctx)
			client.CloseIdleConnections()
		})
		delete(s.open, zone)
	}
	leaving.Wait()
}

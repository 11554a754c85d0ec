// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Annotation is the annotation of a node that has Data as JSON.
const Annotation = "cloud.sap/maintenance-data"

// DefaultProfile is the profile of a node that has none.
const DefaultProfile = "default"

// Data is the value of the annotation. Its JSON has these names, and each field is always there.
type Data struct {
	// Profiles are the profiles of the node, by their names.
	Profiles map[string]*ProfileData
	// Notifications are the times when each notifier has sent something last, by its name.
	Notifications map[string]time.Time
}

// ProfileData is where a profile is.
type ProfileData struct {
	// Transition is the time when the present state was entered.
	Transition time.Time
	// Current is the present state, and Previous the one before while the present one is still being entered; the same
	// afterwards.
	Current, Previous string
}

// String is the value of the annotation.
func (d Data) String() string {
	text, err := json.Marshal(d)
	if err != nil {
		return "" // only for a year that JSON cannot have
	}
	return string(text)
}

// Parse reads the annotation. As the controller does, it refuses fields that it does not know.
func Parse(text string) (Data, error) {
	var data Data
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&data); err != nil {
		return Data{}, fmt.Errorf("the annotation %s cannot be read: %w", Annotation, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Data{}, fmt.Errorf("the annotation %s cannot be read: there is something after its end", Annotation)
	}
	for name, profile := range data.Profiles {
		if profile == nil {
			return Data{}, fmt.Errorf("the annotation %s cannot be read: the profile %q is null", Annotation, name)
		}
		if State(profile.Current) == "" || State(profile.Previous) == "" {
			return Data{}, fmt.Errorf("the annotation %s cannot be read: the profile %q has an unknown state", Annotation, name)
		}
	}
	return data, nil
}

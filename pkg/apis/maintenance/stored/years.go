// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"fmt"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxYear is the last year that RFC 3339 can tell, which has four digits for it.
const maxYear = 9999

var timeType = reflect.TypeFor[time.Time]()

// checkYears fails if the object has a time that could be stored, but not be read again: its year in UTC has not four
// digits. One such object would make the whole list unreadable. A client can send such a time, with an offset: the
// last hours of the year 9999 in one zone are in the year 10000 in UTC.
func checkYears(value reflect.Value) error {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		return checkYears(value.Elem())
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return nil
		}
		return checkAll(value.Len(), value.Index)
	case reflect.Struct:
		if value.Type() == timeType {
			return checkYear(value.Interface().(time.Time))
		}
		return checkAll(value.NumField(), value.Field)
	default: // no map of our objects has times, nor do numbers and texts
		return nil
	}
}

func checkAll(count int, part func(int) reflect.Value) error {
	for i := range count {
		if err := checkYears(part(i)); err != nil {
			return err
		}
	}
	return nil
}

func checkYear(at time.Time) error {
	if year := at.UTC().Year(); year >= 0 && year <= maxYear {
		return nil
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the time %s cannot be stored: its year in UTC must be between 0 and %d", at.UTC().Format(time.RFC3339), maxYear))
}

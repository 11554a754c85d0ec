// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func timeWindow(p *plugin, made *v1beta1.ProfileCheck) {
	window := &v1beta1.TimeWindowCheck{
		Start: p.config.timeOfDay("start"), End: p.config.timeOfDay("end"), Weekdays: p.config.weekdays("weekdays", required),
	}
	if window.Start != "" && window.End != "" && window.Start >= window.End {
		p.config.say("end", Unmapped, "must be after start: the controller refuses a window over midnight, and one without length never opens. "+
			"This server can have both, but then something else happens than until now")
	}
	for _, date := range p.config.texts("exclude", optional) {
		window.ExcludeDates = append(window.ExcludeDates, p.config.yearDay("exclude", date))
	}
	made.TimeWindow = window
}

// timeOfDay returns a time as HH:MM.
func (b *block) timeOfDay(name string) string {
	text := b.text(name, required)
	if text == "" {
		return ""
	}
	at, err := time.Parse("15:04", text)
	if err != nil {
		b.say(name, Unmapped, "must be a time such as 09:30")
		return ""
	}
	return at.Format("15:04")
}

// yearDay returns a day such as "Dec 24" as 12-24. 2024 was a leap year.
func (b *block) yearDay(name, text string) string {
	day, err := time.Parse("2006 Jan 2", "2024 "+text)
	if err != nil {
		b.say(name, Unmapped, fmt.Sprintf("%q must be a day such as Dec 24", text))
		return ""
	}
	return day.Format("01-02")
}

var weekdays = []v1beta1.Weekday{
	v1beta1.Monday, v1beta1.Tuesday, v1beta1.Wednesday, v1beta1.Thursday, v1beta1.Friday, v1beta1.Saturday, v1beta1.Sunday,
}

var weekdayNames = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

func (b *block) weekdays(name string, n need) []v1beta1.Weekday {
	var days []v1beta1.Weekday
	for _, text := range b.texts(name, n) {
		at := slices.IndexFunc(weekdayNames, func(day string) bool {
			return strings.EqualFold(text, day) || strings.EqualFold(text, day[:3])
		})
		switch {
		case at < 0:
			b.say(name, Unmapped, fmt.Sprintf("%q is no weekday such as monday or mon", text))
		case !slices.Contains(days, weekdays[at]):
			days = append(days, weekdays[at])
		}
	}
	return days
}

func wait(p *plugin, made *v1beta1.ProfileCheck) {
	made.Wait = &v1beta1.WaitCheck{Seconds: p.config.seconds("duration", required, yearSeconds)}
}

func waitExclude(p *plugin, made *v1beta1.ProfileCheck) {
	made.Wait = &v1beta1.WaitCheck{
		Seconds: p.config.seconds("duration", required, yearSeconds), ExcludeWeekdays: p.config.weekdays("exclude", required),
	}
	p.config.say("exclude", Changed, "an excluded day is left out once; the controller can subtract the present day twice")
	if len(made.Wait.ExcludeWeekdays) == len(weekdays) {
		p.config.say("exclude", Unmapped, "must leave one day: the check would never pass")
	}
}

// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package slack

import (
	"context"
	"regexp"
	"strconv"
	"time"

	"github.com/slack-go/slack"
)

const (
	// lookback is how long before a message was made it is looked for, since clocks differ.
	lookback = time.Minute
	// pageSize and maxPages are how many messages are looked at.
	pageSize = 200
	maxPages = 5
)

// channelID is what Slack calls a channel. Its API finds messages by that alone.
var channelID = regexp.MustCompile(`^[CGD][A-Z0-9]{7,}$`)

// find looks for a message by its id, in a thread unless that is empty, and returns its timestamp; empty: it is not
// there, or cannot be looked for, since the channel is not named by its id or the token may not read it. It fails if Slack
// may tell later: to post it again would be too early.
func (s *server) find(ctx context.Context, channel, thread, id string, since time.Time) (timestamp string, err error) {
	if !channelID.MatchString(channel) {
		return "", nil
	}
	oldest, cursor := strconv.FormatInt(since.Add(-lookback).Unix(), 10), ""
	for range maxPages {
		messages, next, err := s.page(ctx, channel, thread, oldest, cursor)
		if err != nil {
			return "", notNow(err)
		}
		for i := range messages {
			if messages[i].Metadata.EventPayload["id"] == id {
				return known(messages[i].Timestamp), nil
			}
		}
		if cursor = next; cursor == "" {
			return "", nil
		}
	}
	return "", nil
}

// page returns some messages of a channel or of a thread, and where the next ones begin.
func (s *server) page(
	ctx context.Context, channel, thread, oldest, cursor string,
) (messages []slack.Message, next string, err error) {
	err = s.call(ctx, func(ctx context.Context) error {
		if thread != "" {
			messages, _, next, err = s.api().GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{
				ChannelID: channel, Timestamp: thread, Oldest: oldest, Cursor: cursor, Limit: pageSize, IncludeAllMetadata: true,
			})
			return err
		}
		history, err := s.api().GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: channel, Oldest: oldest, Cursor: cursor, Limit: pageSize, IncludeAllMetadata: true,
		})
		if err == nil {
			messages, next = history.Messages, history.ResponseMetaData.NextCursor
		}
		return err
	})
	return messages, next, err
}

package snmp

import (
	"testing"

	"whydrop/devices/snmp/internal/message"
)

func TestOnlyAnswersToWhatWasAskedAreTaken(t *testing.T) { // A5-09
	const level = message.FlagAuth | message.FlagPriv
	for name, tt := range map[string]struct {
		sent, came message.Header
		want       bool
	}{
		"v3, the same message":             {message.Header{Version: message.Version3, MsgID: 7, Flags: level}, message.Header{Version: message.Version3, MsgID: 7, Flags: level, PDU: message.TagResponse}, true},
		"v3, another message":              {message.Header{Version: message.Version3, MsgID: 7, Flags: level}, message.Header{Version: message.Version3, MsgID: 8, Flags: level, PDU: message.TagResponse}, false},
		"v3, an answer in the clear":       {message.Header{Version: message.Version3, MsgID: 7, Flags: level}, message.Header{Version: message.Version3, MsgID: 7, PDU: message.TagResponse}, false},
		"v3, an answer without a cipher":   {message.Header{Version: message.Version3, MsgID: 7, Flags: level}, message.Header{Version: message.Version3, MsgID: 7, Flags: message.FlagAuth, PDU: message.TagResponse}, false},
		"v3, a Report without a signature": {message.Header{Version: message.Version3, MsgID: 7, Flags: level}, message.Header{Version: message.Version3, MsgID: 7, PDU: message.TagReport}, true},
		"v2c, the same request":            {message.Header{Version: 1, RequestID: 7}, message.Header{Version: 1, RequestID: 7, PDU: message.TagResponse}, true},
		"v2c, another request":             {message.Header{Version: 1, RequestID: 7}, message.Header{Version: 1, RequestID: 8, PDU: message.TagResponse}, false},
		"v2c, no answer but a question":    {message.Header{Version: 1, RequestID: 7}, message.Header{Version: 1, RequestID: 7, PDU: message.TagSet}, false},
		"an older version":                 {message.Header{Version: message.Version3, MsgID: 7}, message.Header{Version: 1, MsgID: 7, PDU: message.TagResponse}, false},
	} {
		t.Run(name, func(t *testing.T) {
			x := &tap{sent: []message.Header{tt.sent}}
			if got := x.accepts(tt.came); got != tt.want {
				t.Errorf("taken: %v, want %v", got, tt.want)
			}
		})
	}
}

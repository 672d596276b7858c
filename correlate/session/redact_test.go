package session

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"whydrop/correlate/timeline"
)

const canary = `cAn4ry"/secret+Wörd`

func TestSecretsAreHiddenByValueAndPrefix(t *testing.T) {
	r := newRedactor([]string{canary, "lab", "s3cretCommunity", ""})
	for name, c := range map[string]struct{ in, want string }{
		"whole":                     {"community " + canary + " rejected", "community *** rejected"},
		"prefix of four":            {"got s3cr, then nothing", "got ***, then nothing"},
		"prefix of seven":           {"s3cretC", "***"},
		"three bytes are no secret": {"s3c", "s3c"},
		"twice":                     {"s3cretCommunitys3cretCommunity", "******"},
		"hexadecimal":               {"30 82 " + hex.EncodeToString([]byte("s3cretCommunity")), "30 82 ***"},
		"hexadecimal capitals":      {strings.ToUpper(hex.EncodeToString([]byte("s3cretCommunity"))), "***"},
		"hexadecimal with spaces":   {"04 0f " + spaced(hex.EncodeToString([]byte("s3cretCommunity")), " ") + " a0", "04 0f *** a0"},
		"base64":                    {base64.StdEncoding.EncodeToString([]byte("s3cretCommunity")), "***"},
		"short secret as a word":    {"snmp community lab at lab-sw1", "snmp community *** at ***-sw1"},
		"short secret in a word":    {"labor label collab", "labor label collab"},
		"no secret":                 {"Gi1/0/1 is up", "Gi1/0/1 is up"},
		"nothing":                   {"", ""},
	} {
		if got := r.text(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	in := []byte("\x04\x0fs3cretCommunity\xa0")
	if got, want := r.reply(in), []byte("\x04\x0f***************\xa0"); !bytes.Equal(got, want) {
		t.Errorf("reply: got %q, want %q", got, want)
	}
	if !bytes.Contains(in, []byte("s3cret")) {
		t.Error("the caller's reply was changed")
	}
}

func TestBase64IsHiddenAtAnyOffset(t *testing.T) {
	secret := "s3cretCommunity"
	r := newRedactor([]string{secret})
	for skip := range 6 {
		enc := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", skip) + secret + "tail"))
		got := r.text(enc)
		if !strings.Contains(got, hidden) {
			t.Errorf("offset %d: %q stayed", skip, enc)
		}
		plain, _ := base64.StdEncoding.DecodeString(strings.ReplaceAll(got, hidden, ""))
		if bytes.Contains(plain, []byte(secret[:6])) {
			t.Errorf("offset %d: %q still shows the secret", skip, got)
		}
	}
}

func TestNoSecretReachesTheFile(t *testing.T) {
	secrets := []string{canary, "v3-auth-Pass", "v3-priv-Pass"}
	meta := Meta{Program: "p " + canary, Site: "s", Topology: json.RawMessage(`{"site":"v3-auth-Pass"}`), Notes: []string{"v3-priv-Pass"}, Secrets: secrets}
	records := []timeline.Record{
		timeline.Event{Text: "login " + canary, Attrs: map[string]string{"reason": "v3-auth-Pass"}},
		timeline.Gap{Text: "decode: 04 " + hex.EncodeToString([]byte("v3-priv-Pass"))},
	}
	exchange := timeline.Exchange{Request: "login " + canary, Reply: []byte("echo v3-auth-Pass and v3-pri")}
	path := record(t, meta, records, exchange)
	got := load(t, path)
	js, err := json.Marshal(got.meta)
	if err != nil {
		t.Fatal(err)
	}
	all := string(js)
	for _, r := range got.records {
		switch r := r.(type) {
		case timeline.Event:
			all += r.Text + r.Attrs["reason"]
		case timeline.Gap:
			all += r.Text
		}
	}
	for _, x := range got.exchanges {
		all += x.Request + string(x.Reply)
	}
	raw, err := os.ReadFile(path) // the tables of words are not compressed
	if err != nil {
		t.Fatal(err)
	}
	all += string(raw)
	for _, s := range append(secrets, "v3-p", "v3-a") {
		for _, form := range []string{s, s[:4], hex.EncodeToString([]byte(s))} {
			if strings.Contains(all, form) {
				t.Errorf("%q is in the file", form)
			}
		}
	}
	if len(got.records) != 2 || len(got.exchanges) != 1 || !strings.Contains(all, hidden) {
		t.Errorf("got %+v", got)
	}
}

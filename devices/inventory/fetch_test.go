package inventory

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"whydrop/devices"
)

func device(n int) string {
	return fmt.Sprintf(`{"name": "sw%d", "device_type": {}, "status": {"value": "active"}, "primary_ip": {"address": "192.0.2.%d/24"}}`, n, n)
}

func TestFetchReadsAllPages(t *testing.T) {
	var tokens []string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
		if r.URL.Path != "/api/dcim/devices/" {
			t.Errorf("asked for %s", r.URL)
		}
		if r.URL.Query().Get("offset") == "" {
			fmt.Fprintf(w, `{"count": 2, "next": "http://elsewhere.example.net/api/dcim/devices/?limit=1&offset=1", "results": [%s]}`, device(1))
			return
		}
		fmt.Fprintf(w, `{"count": 2, "next": null, "results": [%s]}`, device(2))
	}))
	defer s.Close()
	in, err := Fetcher{Token: devices.NewSecret("t0ken"), Client: s.Client()}.Fetch(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(in, "")
	if err != nil || len(got.Devices) != 2 || got.Devices[1].Address != "192.0.2.2" {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(tokens) != 2 || tokens[1] != "Token t0ken" {
		t.Errorf("tokens: %q", tokens)
	}
}

func TestFetchRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://192.0.2.1/", http.StatusFound)
		}, "points elsewhere"},
		"a token that is wrong":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "inventory_token"},
		"an answer of another":   {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "no list of devices"},
		"pages without end":      {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"next": "?x", "results": []}`) }, "more than 200 pages"},
		"an answer without end":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat(" ", MaxBytes+2)) }, "longer than"},
		"an error of the server": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "502"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewTLSServer(tt.handler)
			defer s.Close()
			_, err := Fetcher{Token: devices.NewSecret("t0ken"), Client: s.Client()}.Fetch(t.Context(), s.URL)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "t0ken") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	for _, address := range []string{"http://netbox.example.net/", "https://user:word@netbox.example.net/", "https:///x", "file:///etc/hosts"} {
		if _, err := (Fetcher{}).Fetch(context.Background(), address); err == nil || strings.Contains(err.Error(), "word@") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

package inventory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"whydrop/devices"
)

// Fetcher asks the API of a NetBox for its devices. It reads and never writes.
type Fetcher struct {
	Token devices.Secret
	// Client, if not nil, is used instead of one of its own. Redirects are not followed by either.
	Client *http.Client
}

// Bounds of a fetch.
const (
	fetchTimeout = 30 * time.Second // of each page
	pageSize     = 200
	mostPages    = 200
)

// Fetch returns the devices at an address: https://netbox.example.net, or the full address of its list of devices with
// a filter. The token goes to that host alone. It returns soon after ctx ends.
func (f Fetcher) Fetch(ctx context.Context, address string) (Input, error) {
	u, err := fetchURL(address)
	if err != nil {
		return Input{}, err
	}
	in := Input{Name: u.Scheme + "://" + u.Host + u.Path}
	origin := *u
	all, size := []json.RawMessage{}, 0
	for range mostPages {
		text, err := f.page(ctx, u)
		if err != nil {
			return Input{}, fmt.Errorf("%s: %w", in.Name, err)
		}
		var page struct {
			Next    string            `json:"next"`
			Results []json.RawMessage `json:"results"`
		}
		if err := json.Unmarshal(text, &page); err != nil || page.Results == nil {
			return Input{}, fmt.Errorf("%s: the answer is no list of devices of NetBox", in.Name)
		}
		all = append(all, page.Results...)
		if size += len(text); size > MaxBytes || len(all) > maxDevices {
			return Input{}, fmt.Errorf("%s: more than %d bytes or %d devices; name a filter in the address (?site=NAME)", in.Name, MaxBytes, maxDevices)
		}
		if page.Next == "" {
			in.Text, err = json.Marshal(map[string]any{"count": len(all), "results": all})
			return in, err
		}
		if u, err = origin.Parse(page.Next); err != nil {
			return Input{}, fmt.Errorf("%s: the address of the next page can't be read", in.Name)
		}
		// A server behind a proxy may write http: or another host there; it is asked where it was asked before.
		u.Scheme, u.Host, u.User = origin.Scheme, origin.Host, nil
	}
	return Input{}, fmt.Errorf("%s: more than %d pages; name a filter in the address (?site=NAME)", in.Name, mostPages)
}

// fetchURL returns the address of the first page.
func fetchURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("inventory: the address can't be read")
	case u.Scheme != "https":
		return nil, fmt.Errorf("inventory: %s://%s: only https:// is asked, so that the token stays secret", u.Scheme, u.Host)
	case u.Host == "" || u.User != nil:
		return nil, errors.New("inventory: an address is https://HOST/, without a user")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/api/dcim/devices/"
	}
	q := u.Query()
	if !q.Has("limit") {
		q.Set("limit", strconv.Itoa(pageSize))
	}
	u.RawQuery = q.Encode()
	return u, nil
}

func (f Fetcher) page(ctx context.Context, u *url.URL) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if !f.Token.IsZero() {
		req.Header.Set("Authorization", "Token "+f.Token.Reveal())
	}
	c := http.Client{}
	if f.Client != nil {
		c = *f.Client
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("%s: the token is not accepted (inventory_token)", resp.Status)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fmt.Errorf("%s: it points elsewhere, and the token is not sent there", resp.Status)
	case resp.StatusCode != http.StatusOK:
		return nil, errors.New(resp.Status)
	}
	text, err := readAtMost(resp.Body, MaxBytes)
	if err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text), nil
}

// readAtMost reads all of r; more than most bytes are an error.
func readAtMost(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, fmt.Errorf("longer than %d bytes", most)
	}
	return b, err
}

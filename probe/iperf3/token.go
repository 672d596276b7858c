package iperf3

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
)

// cookieSize is COOKIE_SIZE of iperf.h, the closing NUL included.
const cookieSize = 37

// newCookie draws a cookie as make_cookie of iperf_util.c does: 36 letters and digits.
func newCookie() string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	b := make([]byte, cookieSize-1)
	_, _ = rand.Read(b) // never fails (Go 1.24)
	for i := range b {
		b[i] = alphabet[int(b[i])%len(alphabet)]
	}
	return string(b)
}

// parseCookie returns the cookie in the first bytes of a connection, without the NUL.
func parseCookie(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

func newNonce() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// The two sides sign different texts, so that one side's proof cannot be handed back to it.
const (
	clientSide = "whydrop iperf3 client"
	serverSide = "whydrop iperf3 server"
)

// proof shows knowledge of the token for one test. It is bound to the cookie and to a nonce of each side.
func proof(token, side, cookie, clientNonce, serverNonce string) string {
	m := hmac.New(sha256.New, []byte(token))
	for _, s := range []string{side, cookie, clientNonce, serverNonce} {
		m.Write([]byte(s))
		m.Write([]byte{0})
	}
	return hex.EncodeToString(m.Sum(nil))
}

// proven compares in constant time.
func proven(want, got string) bool { return hmac.Equal([]byte(want), []byte(got)) }

// used remembers the cookies of the last tests that showed the token.
type used struct {
	mu   sync.Mutex
	seen map[string]bool
	ring []string
	next int
}

const usedCookies = 4096

// first notes the cookie and says whether it was never used before.
func (u *used) first(cookie string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen[cookie] {
		return false
	}
	if u.seen == nil {
		u.seen, u.ring = map[string]bool{}, make([]string, usedCookies)
	}
	delete(u.seen, u.ring[u.next])
	u.ring[u.next] = cookie
	u.seen[cookie] = true
	u.next = (u.next + 1) % usedCookies
	return true
}

// Texts after our own states.
type (
	hello struct {
		Version int    `json:"version"`
		Nonce   string `json:"nonce"`
	}
	proofText struct {
		Proof string `json:"proof"`
	}
	// grant says what a test may do; 0 is not limited.
	grant struct {
		Version       int     `json:"version"`
		Authenticated bool    `json:"authenticated"`
		Proof         string  `json:"proof,omitempty"`
		Seconds       float64 `json:"seconds"`
		BitsPerSecond float64 `json:"bits_per_second"`
		Streams       int     `json:"streams"`
		Refused       string  `json:"refused,omitempty"`
	}
	queued struct {
		Seconds float64 `json:"seconds"`
	}
)

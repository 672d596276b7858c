package clitest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"

	"golang.org/x/crypto/ssh"
)

// NewHostKey makes a new key of the given kind: "ed25519", "ecdsa" (P-256) or "rsa" (2048 bits, which takes some
// tenths of a second). It serves as a user's key too.
func NewHostKey(kind string) (ssh.Signer, error) {
	key, err := NewPrivateKey(kind)
	if err != nil {
		return nil, err
	}
	return ssh.NewSignerFromSigner(key)
}

// NewPrivateKey makes a new key as NewHostKey does, in the form that ssh.MarshalPrivateKey takes.
func NewPrivateKey(kind string) (crypto.Signer, error) {
	switch kind {
	case "ed25519":
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	case "ecdsa":
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "rsa":
		return rsa.GenerateKey(rand.Reader, 2048)
	}
	return nil, fmt.Errorf("clitest: no key of kind %q", kind)
}

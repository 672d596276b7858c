package fast

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash"
)

// User is a v3 user at one engine, with its localised keys. Its text must not be shown: it holds secrets.
type User struct {
	Name, Engine string // msgUserName, msgAuthoritativeEngineID: raw octets
	Context      string // contextName
	// Hash makes the hash of the authentication protocol; nil: noAuthNoPriv.
	Hash func() hash.Hash
	// MAC is how many octets of the HMAC a message carries: 12 for MD5 and SHA (RFC 3414), 16 to 48 for SHA-2
	// (RFC 7860, section 4.2.1).
	MAC     int
	AuthKey []byte
	// PrivKey is the AES key, of 16, 24 or 32 octets; nil: no privacy. DES is not spoken here.
	PrivKey []byte
}

// security is a user's keys ready for use.
type security struct {
	user  User
	flags byte
	mac   hash.Hash
	block cipher.Block
	salt  uint64
	boots uint32
	time  uint32
	iv    [aes.BlockSize]byte
	sum   []byte
}

// Bits of msgFlags (RFC 3412, section 6.4).
const (
	flagAuth       = 1
	flagPriv       = 2
	flagReportable = 4
)

func newSecurity(u User) (*security, error) {
	s := &security{user: u}
	if u.Hash == nil && u.PrivKey != nil {
		return nil, errors.New("fast: there is no privacy without authentication")
	}
	if u.Hash != nil {
		h := u.Hash()
		if u.MAC < 12 || u.MAC > h.Size() || len(u.AuthKey) == 0 {
			return nil, errors.New("fast: the authentication key or its length is wrong")
		}
		s.mac, s.flags = hmac.New(u.Hash, u.AuthKey), flagAuth
		s.sum = make([]byte, 0, h.Size())
	}
	if u.PrivKey != nil {
		var err error
		if s.block, err = aes.NewCipher(u.PrivKey); err != nil {
			return nil, errors.New("fast: the privacy key is not one of AES")
		}
		s.flags |= flagPriv
		var salt [8]byte // RFC 3826, section 3.1.2.1: begins at a random place, counts up
		if _, err := rand.Read(salt[:]); err != nil {
			return nil, err
		}
		s.salt = binary.BigEndian.Uint64(salt[:])
	}
	return s, nil
}

// digest is the truncated HMAC of a message. It is valid until the next call.
func (s *security) digest(msg []byte) []byte {
	s.mac.Reset()
	s.mac.Write(msg)
	s.sum = s.mac.Sum(s.sum[:0])
	return s.sum[:s.user.MAC]
}

// setIV makes the initial vector (RFC 3826, section 3.1.2.1).
func (s *security) setIV(boots, time uint32, salt []byte) {
	binary.BigEndian.PutUint32(s.iv[0:], boots)
	binary.BigEndian.PutUint32(s.iv[4:], time)
	copy(s.iv[8:], salt)
}

// encrypt and decrypt are the cipher feedback of 128 bits (RFC 3826, section 3.1.1.1) in place.
func (s *security) encrypt(b []byte) {
	for len(b) > 0 {
		s.block.Encrypt(s.iv[:], s.iv[:])
		n := min(len(b), aes.BlockSize)
		for i := range n {
			b[i] ^= s.iv[i]
			s.iv[i] = b[i]
		}
		b = b[n:]
	}
}

func (s *security) decrypt(b []byte) {
	for len(b) > 0 {
		s.block.Encrypt(s.iv[:], s.iv[:])
		n := min(len(b), aes.BlockSize)
		for i := range n {
			b[i], s.iv[i] = b[i]^s.iv[i], b[i]
		}
		b = b[n:]
	}
}

package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Version is the format version that this package writes. It reads this one and every older one.
const Version = 1

// applicationID marks the SQLite database as ours: "wdrp".
const applicationID = 0x77647270

// Errors that callers decide by. They are wrapped, with the file's name.
var (
	// ErrNotSession says that the file is no recording.
	ErrNotSession = errors.New("not a whydrop session file")
	// ErrVersion says that the file was written by a newer whydrop.
	ErrVersion = errors.New("format is newer than this whydrop")
)

// Meta says what a recording is of.
type Meta struct {
	Program  string          `json:"program"`  // name and version of the program that recorded
	Site     string          `json:"site"`     // the site file's name for the site
	Started  time.Time       `json:"started"`  // when the run began, UTC
	Topology json.RawMessage `json:"topology"` // a correlate.Topology; nil if there is none
	Notes    []string        `json:"notes"`    // whatever a reader of the report should know

	// Secrets are texts that must not appear in the file: they, and every beginning of them of four bytes or
	// more, are replaced in whatever text is recorded, in plain, hexadecimal and base64 form. They are used by
	// Create only and are never stored.
	Secrets []string `json:"-"`
}

// stored is the form in which Meta lies in the file.
type stored struct {
	Meta
	Chunks int    `json:"chunks"` // batches in the database
	Last   uint64 `json:"last"`   // the last sequence number folded into the database
	Closed bool   `json:"closed"` // the recorder was closed, so Last is the last of all
}

func (s stored) encode() ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode the session's metadata: %w", err)
	}
	return b, nil
}

func decodeStored(b []byte) (stored, error) {
	var s stored
	if err := json.Unmarshal(b, &s); err != nil {
		return stored{}, fmt.Errorf("decode the session's metadata: %w", err)
	}
	s.Started = s.Started.UTC()
	return s, nil
}

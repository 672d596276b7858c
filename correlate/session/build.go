package session

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver, pure Go
)

// schema is for people with an SQLite tool; our reader looks for frames. The table chunk must keep the form
// (integer key, blob): see place.readChain.
var schema = []string{
	fmt.Sprintf("PRAGMA page_size=%d", pageSize),
	"PRAGMA journal_mode=OFF", // the file is new and nobody's until it is renamed
	"PRAGMA synchronous=OFF",  // it is synced as a whole, below
	"PRAGMA locking_mode=EXCLUSIVE",
	fmt.Sprintf("PRAGMA application_id=%d", applicationID),
	fmt.Sprintf("PRAGMA user_version=%d", Version),
	"BEGIN",
	"CREATE TABLE chunk (seq INTEGER PRIMARY KEY, data BLOB NOT NULL)",
	`CREATE TABLE chunk_info (seq INTEGER PRIMARY KEY, kind TEXT, "from" TEXT, "to" TEXT, records INTEGER, bytes INTEGER)`,
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
}

// build fills the empty file at path with a database that holds the metadata and the frames that next returns,
// until io.EOF. The caller syncs and renames it.
func build(ctx context.Context, path string, meta stored, next func() (header, []byte, error)) error {
	db, err := sql.Open("sqlite", fileURL(path))
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range schema {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	if err := fill(ctx, db, meta, next); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "COMMIT"); err != nil {
		return err
	}
	return db.Close()
}

func fill(ctx context.Context, db *sql.DB, meta stored, next func() (header, []byte, error)) error {
	js, err := meta.encode()
	if err != nil {
		return err
	}
	for k, v := range map[string]string{"program": meta.Program, "site": meta.Site, "topology": string(meta.Topology),
		"started": meta.Started.UTC().Format("2006-01-02T15:04:05.999999999Z"), "notes": strings.Join(meta.Notes, "\n")} {
		if _, err := db.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?)", k, v); err != nil {
			return err
		}
	}
	chunk, err := db.PrepareContext(ctx, "INSERT INTO chunk (data) VALUES (?)")
	if err != nil {
		return err
	}
	defer chunk.Close()
	info, err := db.PrepareContext(ctx, "INSERT INTO chunk_info VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer info.Close()
	h, frame := metaFrame(js)
	for {
		res, err := chunk.ExecContext(ctx, frame)
		if err != nil {
			return err
		}
		seq, err := res.LastInsertId()
		if err != nil {
			return err
		}
		if _, err := info.ExecContext(ctx, seq, string(h.kind), when(h.from), when(h.to), h.records, len(frame)); err != nil {
			return err
		}
		h, frame, err = next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func metaFrame(js []byte) (header, []byte) {
	h := header{version: Version, kind: kindMeta, raw: uint32(len(js))}
	enc := newEncoder(sealedLevel)
	defer enc.Close()
	return h, appendFrame(nil, h, enc.EncodeAll(js, nil))
}

func when(ns int64) any {
	if ns == 0 || ns == noTime {
		return nil
	}
	return unstamp(ns).Format("2006-01-02T15:04:05.999Z")
}

// fileURL returns the driver's name for a file, whatever characters its path holds.
func fileURL(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// newBeside creates an empty file next to path, for the owner alone, following no link.
func newBeside(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.new")
}

// Package session records a run into one file and reads it back.
//
// The file is an SQLite database at every moment, so that any tool can look into it, and it is safe to copy at
// every moment, so that it can be mailed while it grows or after the recorder was killed: there is no second
// file that holds data. Its parts, in order:
//
//   - The database: the table chunk holds everything recorded so far as blobs, the tables chunk_info and meta
//     say in words what they are. It is written once, into a temporary file that is then renamed over the
//     recording, and never changed in place, so that no kill can tear it.
//   - The tail, behind the last page that the database header counts, where SQLite does not look: frames that
//     are appended several times a second. Now and then the tail is folded into a new database.
//
// A blob of chunk and a frame of the tail are the same thing: a header of 64 bytes with magic, version, sequence
// numbers, lengths and a CRC-32C, then a zstd-compressed batch of records (see batch.go). A reader needs no
// B-tree: it looks for the magic through the whole file, puts blobs that SQLite spread over pages together by
// the documented layout of overflow pages (sqlite.org, "Database File Format", sections 1.6 and 2), and believes
// what its CRC confirms. So a file that was cut, or in which bits have turned, gives back every whole batch, and
// the reader names what is missing.
//
// The format version is in the database header (user_version, with application_id "wdrp") and in every frame.
// Readers accept every older version.
package session

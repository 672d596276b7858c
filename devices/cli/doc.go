// Package cli asks switches and routers by their command line over SSH (RFC 4251 to RFC 4254).
//
// A [Collector] keeps one session per device open, sends the commands that the visible list [Platforms] has for the
// device and nothing else, and turns the answers into a [devices.Reading] with the parsers of package parse. [NewLog]
// and [NewSlow] share its sessions for what is asked at another cadence: the log and the clock; neighbours, optics and
// load. The platform of a device is found out, by [Detect], where the site file does not give it.
//
// scrapligo finds prompts and pages; the SSH connection is our own, on golang.org/x/crypto/ssh, because
// scrapligo's transports know no context, no agent, no jump host and no key with a pass phrase, and leave
// descriptors behind. The rules it keeps:
//
//   - A host key is checked before a password leaves: a fingerprint pinned in the site file, or known_hosts.
//   - Old algorithms are offered to a device only with profile legacy, and never tried by themselves.
//   - A secret is sent at most once per step of a login; after two refusals nothing is sent any more.
//   - When a context ends the connection is closed, and everything that waits for it returns.
//
// What it leaves to others: when to ask and how often (poll), and what the answers mean.
package cli

package runner

import (
	"whydrop/probe"
	"whydrop/probe/dns"
	"whydrop/probe/http"
	"whydrop/probe/udpconnect"
)

// newUDPConnect goes to the port of STAMP unless told another: a reflector answers there, or the host refuses.
func newUDPConnect(s Spec) (probe.Prober, error) {
	port := s.ServicePort
	if port == 0 {
		port = s.stampPort()
	}
	return &udpconnect.Connector{Name: s.Path, To: s.To, Port: port, Heartbeat: s.Heartbeat}, nil
}

func newDNS(s Spec) (probe.Prober, error) {
	return &dns.Asker{Name: s.Path, To: s.To, Port: s.ServicePort, Query: s.Ask, Heartbeat: s.Heartbeat}, nil
}

func newHTTP(s Spec) (probe.Prober, error) { return requester(s, false), nil }

func newHTTPS(s Spec) (probe.Prober, error) { return requester(s, true), nil }

func requester(s Spec, tls bool) *http.Requester {
	return &http.Requester{Name: s.Path, To: s.To, Port: s.ServicePort, TLS: tls, Target: s.Ask, Heartbeat: s.Heartbeat}
}

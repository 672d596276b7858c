// Package endtoend runs the whole of whydrop over a network made for the purpose: hosts, spanning-tree switches and
// stateful firewalls in network namespaces, with stock net-snmp agents, and packet captures as the truth. It holds
// tests only; they need Linux and root.
package endtoend

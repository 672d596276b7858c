package snmp

import (
	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
)

// User returns the keys and the security level of the version 3 user that d.SNMP says, for a receiver of traps. An error
// names the key of the site file.
func User(d devices.Device) (*gosnmp.UsmSecurityParameters, gosnmp.SnmpV3MsgFlags, error) {
	x := &gosnmp.GoSNMP{}
	if err := v3(d, x); err != nil {
		return nil, 0, err
	}
	return x.SecurityParameters.(*gosnmp.UsmSecurityParameters), x.MsgFlags, nil
}

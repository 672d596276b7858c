package snmp

// vendorTables are those of one maker's devices, and of protocols that one maker began.
var vendorTables = []Table{
	// Ports.
	cieIfPackets, cieIfInterface, locIf, aristaIf, poe,
	stormControl("broadcast", "1"), stormControl("multicast", "2"), stormControl("unicast", "3"), stormControl("all", "4"),
	errDisable, udld, portPolicer, cableTest, classQueues, aristaQueues,
	// The second layer and gateways.
	stpInconsistent, macMove, arpInspection, vrrp2, vrrp3, hsrp,
	// Pairs and stacks.
	asaFailover, asaConnections, fortiHA, fortiSystem, panHA, panSessions, stackWise, vpc, vpcLinks,
	// The device itself.
	ciscoCPU, ciscoMemory, ciscoMemory64, ciscoLog, junosCPU, hostCPU, hostMemory, procurveCPU, huaweiCPU,
	dellCPU, comwareCPU, foundryCPU,
	// Sensors.
	entitySensors, ciscoSensors, junosOptics, huaweiOptics, mikrotikOptics,
}

package snmp

// vendorTables are those of one maker's devices, and of protocols that one maker began.
var vendorTables = []Table{}

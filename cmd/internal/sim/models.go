package sim

// Models of devices. Texts follow what the real ones print; ifIndex follows their numbering.
var (
	catalyst2960 = &model{
		platform: "cisco_ios", legacy: true, fast: 24, fastName: "FastEthernet0/", gigabit: "GigabitEthernet0/",
		descr:    "Cisco IOS Software, C2960 Software (C2960-LANBASEK9-M), Version 12.2(55)SE12, RELEASE SOFTWARE (fc2)",
		hardware: "WS-C2960-24TC-L", objectID: "1.3.6.1.4.1.9.1.716", index: catalystIndex, spelling: "Gigabit Ethernet", mediaType: "10/100/1000BaseTX",
	}
	catalyst2960G = &model{
		platform: "cisco_ios", legacy: true, gigabit: "GigabitEthernet0/",
		descr:    "Cisco IOS Software, C2960 Software (C2960-LANBASEK9-M), Version 12.2(58)SE2, RELEASE SOFTWARE (fc1)",
		hardware: "WS-C2960G-24TC-L", objectID: "1.3.6.1.4.1.9.1.694", index: catalystIndex, spelling: "Gigabit Ethernet", mediaType: "10/100/1000BaseTX",
	}
	catalyst2960X = &model{
		platform: "cisco_ios", gigabit: "GigabitEthernet1/0/",
		descr:    "Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(7)E10, RELEASE SOFTWARE (fc3)",
		hardware: "WS-C2960X-24TS-L", objectID: "1.3.6.1.4.1.9.1.1208", index: catalystIndex, spelling: "Gigabit Ethernet", mediaType: "10/100/1000BaseTX",
	}
	catalyst9200 = &model{
		platform: "cisco_iosxe", gigabit: "GigabitEthernet1/0/",
		descr:    "Cisco IOS Software [Cupertino], Catalyst L3 Switch Software (CAT9K_LITE_IOSXE), Version 17.9.5, RELEASE SOFTWARE (fc1)",
		hardware: "C9200L-24T-4G", objectID: "1.3.6.1.4.1.9.1.2593", index: func(_ bool, n int) uint32 { return uint32(8 + n) },
		spelling: "Gigabit Ethernet", mediaType: "10/100/1000BaseTX",
	}
	isr2911 = &model{
		platform: "cisco_ios", gigabit: "GigabitEthernet0/",
		descr:    "Cisco IOS Software, C2900 Software (C2900-UNIVERSALK9-M), Version 15.7(3)M9, RELEASE SOFTWARE (fc1)",
		hardware: "CISCO2911/K9", objectID: "1.3.6.1.4.1.9.1.1045", index: func(_ bool, n int) uint32 { return uint32(1 + n) },
		spelling: "CN Gigabit Ethernet", mediaType: "RJ45",
	}
)

// catalystIndex numbers ports as the Catalyst 2960 family does: 10001 on for fast, 10101 on for gigabit ports.
func catalystIndex(gigabit bool, n int) uint32 {
	if gigabit {
		return uint32(10100 + n)
	}
	return uint32(10000 + n)
}

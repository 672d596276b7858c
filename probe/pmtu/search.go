package pmtu

import "slices"

// common are sizes at which paths end, all of them for a reason: Ethernet (RFC 894), PPPoE (RFC 2516), GRE (RFC 2784),
// IP in IP (RFC 2003), VXLAN (RFC 7348), WireGuard, the usual clamps of tunnels and of mobile networks, IPv6's least
// (RFC 8200) and jumbo frames.
var common = []int{576, 1006, 1024, 1280, 1300, 1350, 1358, 1380, 1390, 1400, 1410, 1420, 1428, 1436, 1438, 1440, 1446,
	1450, 1452, 1454, 1458, 1460, 1462, 1464, 1468, 1472, 1476, 1480, 1484, 1488, 1492, 1496, 1500, 1504, 1508, 1522,
	2000, 2304, 4352, 4470, 8000, 8166, 8192, 8500, 8900, 8950, 8996, 9000, 9100, 9180, 9192, 9198, 9202, 9216, 16000, 32000}

// next returns the size to try between one that passes and a larger one that does not: what a router said, if it
// lies there, otherwise a usual one, otherwise the middle.
func next(passes, fails, said int) int {
	switch {
	case said > passes && said < fails:
		return said
	case said == passes:
		return passes + 1 // probably the first that does not
	}
	lo, _ := slices.BinarySearch(common, passes+1)
	hi, _ := slices.BinarySearch(common, fails)
	if lo < hi {
		return common[(lo+hi)/2]
	}
	if _, usual := slices.BinarySearch(common, passes); usual {
		return passes + 1 // it is probably the last that passes
	}
	return (passes + fails) / 2
}

// bisect finds the largest size that passes, given one that does and a larger one that does not. pass says whether a
// size passes and which size a router said its next link takes, 0 if none did.
func bisect(passes, fails, said int, pass func(size int) (ok bool, said int, err error)) (int, error) {
	for fails-passes > 1 {
		size := next(passes, fails, said)
		ok, s, err := pass(size)
		if err != nil {
			return passes, err
		}
		if s > 0 {
			said = s
		}
		if ok {
			passes = size
		} else {
			fails = size
		}
	}
	return passes, nil
}

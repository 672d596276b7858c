package corpus

import "slices"

// Sets lists what is compared: the interfaces of every platform.
var Sets = slices.Concat(ciscoSets, driverSets, statusSets, aristaSets, juniperSets, brocadeSets, dellSets, extremeSets, hpSets, hostSets)

// Package linux reads what the tools of a Linux host print of its network interfaces: ip and bridge of iproute2 and
// ethtool.
//
// Sources: ip-link(8), ip-neighbour(8), bridge(8) of iproute2 4.9 to 6.1, ethtool(8), and the kernel's
// Documentation/networking/statistics.rst, which says what each counter of struct rtnl_link_stats64 means. Lines
// that are not known are in Reading.Unread.
package linux

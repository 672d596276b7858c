//go:build !linux

package connectrate

func ownTable() Table { return Table{} }

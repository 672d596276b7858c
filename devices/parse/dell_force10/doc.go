// Package dell_force10 reads what Dell's OS9 (FTOS, Force10) and OS10 print; the two print alike.
//
// Sources: the command references of OS9 9.14 and of SmartFabric OS10 10.5. Names have a blank before the number
// ("TenGigabitEthernet 0/1") and are kept so. Lines that are not known are in Reading.Unread.
package dell_force10

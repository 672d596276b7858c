// Package huawei_vrp reads what Huawei VRP prints.
//
// Sources: the Huawei S series, CE series and AR series Command References, V200R005 and later, and captures of S5700,
// CE6800 and AR routers. "-" is not counted. Rates are in bits, or in bytes and bits, within one box. Lines that are
// not known are in Reading.Unread.
package huawei_vrp

package main

const (
	sysProcessVMReadv  = 310
	sysProcessVMWritev = 311
	sysKcmp            = 312
	sysSetns           = 308
	sysBpf             = 321
	sysPerfEventOpen   = 298
	sysUserfaultfd     = 323
	sysKeyctl          = 250
	sysAddKey          = 248
	sysRequestKey      = 249
	sysOpenByHandleAt  = 304
	sysNameToHandleAt  = 303
	sysInitModule      = 175
	sysFinitModule     = 313
	sysKexecLoad       = 246
	sysClockSettime    = 227
	sysQuotactl        = 179
	sysFanotifyInit    = 300
	sysLookupDcookie   = 212
	sysPersonality     = 135
)

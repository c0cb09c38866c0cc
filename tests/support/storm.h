// StormLib, the judge of MPQ archives, in a program of sinew's. Include it after every header of sinew's.
#ifndef TEST_STORM_H
#define TEST_STORM_H

#include <StormLib.h>

// Its header defines bool as a char in C.
#undef bool
#undef true
#undef false
#define bool _Bool
#define true 1
#define false 0

#endif

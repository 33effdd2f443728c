#include "rare.c"

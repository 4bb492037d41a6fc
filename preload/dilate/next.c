#include "preload/dilate/next.h"

#include <dlfcn.h>
#include <stdlib.h>

void *dilate_next(_Atomic(void *) *slot, const char *name)
{
	void *found = atomic_load_explicit(slot, memory_order_relaxed);

	if (found)
		return found;
	found = dlsym(RTLD_NEXT, name);
	if (!found)
		abort();
	atomic_store_explicit(slot, found, memory_order_relaxed);
	return found;
}

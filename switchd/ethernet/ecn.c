#include "switchd/ethernet/ecn.h"

#define PPM 1000000u

bool ecn_congested(const struct roce_class_config *class, uint64_t queue_bytes,
		   struct random *random)
{
	if (!class->ecn || queue_bytes <= class->kmin_bytes)
		return false;
	if (queue_bytes > class->kmax_bytes)
		return true;
	/* below 2^32 bytes times 10^6: within 64 bits */
	return random_below(random, PPM * (class->kmax_bytes - class->kmin_bytes)) <
	       class->pmax_ppm * (queue_bytes - class->kmin_bytes);
}

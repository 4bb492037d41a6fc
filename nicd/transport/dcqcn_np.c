#include "nicd/transport/dcqcn_np.h"

bool dcqcn_np_marked(struct dcqcn_np *np, const struct dcqcn_config *config, node_time_t now)
{
	if (now < np->quiet_until_ps)
		return false;
	np->quiet_until_ps = now + config->cnp_interval_ps;
	return true;
}

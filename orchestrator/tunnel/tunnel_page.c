#include "orchestrator/tunnel/tunnel_page.h"

const char *const tunnel_drop_name[TUNNEL_DROPS] = {
#define ROW(constant, name) [TUNNEL_DROP_##constant] = name,
	TUNNEL_DROP_ROWS(ROW)
#undef ROW
};

const char *const tunnel_peer_state_name[TUNNEL_PEER_STATES] = {
	[TUNNEL_CONNECTING] = "connecting", [TUNNEL_CONNECTED] = "connected",
	[TUNNEL_SILENT] = "silent",         [TUNNEL_ENDED] = "ended",
	[TUNNEL_OTHER] = "other-scenario",
};

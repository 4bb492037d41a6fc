#include "orchestrator/scenario/scenario_elsewhere.h"

/* for the top level of a scenario: words that are keys of one of its sections */
#define SECTION(section, word)                       \
	{                                            \
		"a scenario", word, section "." word \
	}

/* clang-format off */
const struct key_elsewhere key_elsewhere[] = {
	{ "a workload", "rate", "load" },
	{ "a workload", "bandwidth", "load" },
	{ "a workload", "bytes", "size" },
	{ "a workload", "mtu", "packet" },
	SECTION("run", "duration"), SECTION("run", "warmup"), SECTION("run", "drain"),
	SECTION("run", "drain-max"), SECTION("run", "sample"),
	SECTION("links", "rate"), SECTION("links", "delay"), SECTION("links", "mtu"),
	SECTION("links", "loss"), SECTION("links", "bit-errors"),
	SECTION("links", "channels"), SECTION("links", "medium"),
	SECTION("switch", "latency"), SECTION("switch", "forwarding"), SECTION("switch", "arbiter"),
	SECTION("switch", "buffer"), SECTION("switch", "output-queue"),
	SECTION("switch", "flow-key"), SECTION("switch", "acks"),
	SECTION("congestion", "fgfc"), SECTION("congestion", "eca"),
	SECTION("congestion", "slow-start"), SECTION("congestion", "port-limit"),
	SECTION("roce", "pfc"), SECTION("roce", "ecn"), SECTION("roce", "dcqcn"),
	SECTION("roce", "tcp"), SECTION("roce", "queue-pair"),
	SECTION("roce", "supplement"), SECTION("roce", "path-pause"),
	SECTION("routing", "choice"), SECTION("routing", "redirect"), SECTION("routing", "detour"),
	SECTION("routing", "lanes"),
	SECTION("port-group", "policy"), SECTION("port-group", "becn"),
	SECTION("port-group", "fecn"),
	SECTION("nic", "flows-max"), SECTION("nic", "messages-max"), SECTION("nic", "fgfc-entries"),
	SECTION("topology", "generate"), SECTION("topology", "hosts"),
};
/* clang-format on */

const size_t key_elsewhere_count = COUNT_OF(key_elsewhere);

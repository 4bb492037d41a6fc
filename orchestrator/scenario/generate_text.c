#include "orchestrator/scenario/generate_text.h"

#include <string.h>

#include "nodes/base/array.h"

static void write_shape(const struct generate_size *size, FILE *out)
{
	for (uint32_t d = 0; d < size->dimensions; d++)
		fprintf(out, "%s%u", d ? ", " : "  shape: [", size->shape[d]);
	fprintf(out, "]\n");
}

static void write_generated(enum generate_kind kind, const struct generate_size *size,
			    const struct generate_pace *pace, FILE *out)
{
	fprintf(out, "topology:\n  generate: %s            # %s\n", generate_kind_name[kind],
		generate_kind_about[kind]);
	for (unsigned i = 0; i < GENERATE_COUNTS; i++)
		if (generate_takes(kind, i) && size->counts[i])
			fprintf(out, "  %s: %u\n", generate_count_name[i], size->counts[i]);
	if (generate_has_shape(kind))
		write_shape(size, out);
	if (kind == GENERATE_DUMBBELL)
		fprintf(out,
			"  bottleneck: {rate: %s} # the link in the middle; all keys of 'links'\n",
			pace->bottleneck);
	if (generate_has_groups(kind))
		fprintf(out,
			"  global: {delay: %s}        # links between groups; all keys of "
			"'links'\n",
			pace->delay);
}

static void write_link(enum generate_kind kind, const struct scenario *scenario,
		       const struct scenario_link *link, const struct generate_pace *pace,
		       FILE *out)
{
	const char *a = scenario->switches[link->switch_a].name,
		   *b = scenario->switches[link->switch_b].name;

	if (kind == GENERATE_DUMBBELL)
		fprintf(out, "    - {between: [%s, %s], rate: %s}\n", a, b, pace->bottleneck);
	else if (link->settings.tier == TIER_GLOBAL)
		fprintf(out, "    - {between: [%s, %s], tier: global}\n", a, b);
	else
		fprintf(out, "    - [%s, %s]\n", a, b);
}

static int write_explicit(enum generate_kind kind, const struct generate_size *size,
			  const struct generate_pace *pace, FILE *out)
{
	const struct link_config none = { 0 }, global = { .tier = TIER_GLOBAL };
	struct scenario scenario = { 0 };
	int error = generate_topology(kind, size, &none, &none, &global, &scenario);

	if (!error) {
		fprintf(out, "topology:                        # a %s, written out\n  switches:\n",
			generate_kind_name[kind]);
		for (uint32_t i = 0; i < scenario.switch_count; i++)
			fprintf(out, "    - %s\n", scenario.switches[i].name);
		fprintf(out,
			"  hosts:                         # host: its switch, or {switch: ..., "
			"rate: ..., delay: ...}\n");
		for (uint32_t i = 0; i < scenario.host_count; i++)
			fprintf(out, "    %s: %s\n", scenario.hosts[i].name,
				scenario.switches[scenario.hosts[i].switch_index].name);
		fprintf(out, "  links:                         # or {between: [a, b], rate: ..., "
			     "delay: ...}\n");
		for (uint32_t i = 0; i < scenario.link_count; i++)
			write_link(kind, &scenario, &scenario.links[i], pace, out);
	}
	scenario_free(&scenario);
	return error;
}

static const char links_rest_text[] =
	"                      # largest frame, without FCS\n"
	"  gap: 20B                       # preamble and inter-frame gap\n"
	"  loss: 0                        # share of frames lost, such as 0.1%\n"
	"  bit-errors: 0                  # share of bits in error, such as 1e-12\n";

static const char flow_channel_text[] =
	"  channels: 2048                 # flow channels of a direction\n"
	"  medium: shm                    # or veth: of 'heddle up' only\n"
	"\n"
	"switch:\n"
	"  latency: 350ns\n"
	"  forwarding: cut-through        # or store-and-forward\n"
	"  arbiter: by-flow               # or by-port\n"
	"  buffer: 512KiB                 # of an input port and class\n"
	"  output-queue: 32KiB            # of an output port and class\n"
	"  flow-key: [source-mac, ip-pair, ports, hpc]\n"
	"  acks: {t1: 30ns, t2: 60ns, t3: 90ns, collect: 16}\n"
	"\n"
	"routing:                         # numbers that are not given: heddle check\n"
	"  choice: static                 # or hash, adaptive\n"
	"  order: auto                    # or minimal, up-down\n"
	"  lanes: auto                    # or 1 .. 8 of each class\n"
	"  cycles: refuse                 # or allow\n"
	"  detour: never                  # or adaptive, always\n"
	"  reaction: 10us                 # from a failure to new tables\n"
	"  takeover: 1ms                  # of the active fabric manager by the standby\n"
	"  # with choice adaptive also hold-sources: yes and redirect: yes\n"
	"\n"
	"congestion:                      # all numbers: heddle check --congestion\n"
	"  enabled: yes                   # no: every mechanism is off\n"
	"  eca: yes                       # congestion at a host's link is reported to the inputs\n"
	"  slow-start: yes\n"
	"  rate-limit: yes\n"
	"  flow-limit: yes\n"
	"  limit-after-ack: yes\n"
	"  port-limit: 0                  # 0: no limit\n"
	"  headroom: yes                  # credit per flow and hop\n"
	"  fgfc: yes                      # single flows are paused at their source\n"
	"\n";

static const char port_group_text[] =
	"  medium: shm                    # or veth: of 'heddle up' only\n"
	"\n"
	"switch:\n"
	"  latency: 350ns\n"
	"  forwarding: cut-through        # or store-and-forward\n"
	"  buffer: 2MiB                   # of an input port and class: what credit is given for\n"
	"  output-queue: 32KiB            # of an output port and class\n"
	"\n"
	"routing:\n"
	"  order: auto                    # or minimal, up-down\n"
	"  lanes: auto                    # or 1 .. 8 of each class\n"
	"  cycles: refuse                 # or allow\n"
	"  reaction: 10us                 # from a failure to new tables\n"
	"  takeover: 1ms                  # of the active fabric manager by the standby\n"
	"\n"
	"port-group:                      # numbers that are not given: heddle check\n"
	"  lid-bits: 16                   # or 20, 24, 32\n"
	"  adaptive: yes                  # no: the static ports only\n"
	"  policy: greedy-random          # or random, greedy\n"
	"  update: yes                    # the choice replaces the table's entry\n"
	"  non-minimal: no                # yes: longer paths too, where one is the shortest\n"
	"  fecn: yes                      # packets are marked where a queue is long\n"
	"  becn: yes                      # and their sources slow down\n"
	"                                 # a class that must keep order has unordered: no\n"
	"\n";

/* for flow channels and port groups */
static const char load_text[] =
	"nic:\n"
	"  latency: 500ns\n"
	"\n"
	"classes:                         # shares of every link\n"
	"  - {name: best-effort, min: 0%, max: 100%}\n"
	"\n"
	"workloads:\n"
	"  - name: load\n"
	"    pattern: permutation         # or incast, uniform, all-to-all, pairs\n"
	"    size: 64KiB                  # of a message; or sizes: a CSV file\n"
	"    packet: 4096                 # largest frame, without FCS\n"
	"    frame: hpc                   # or ethernet, ipv4, ipv6, roce, roce-ipv6, tcp\n"
	"    class: best-effort\n"
	"    arrival: closed              # or paced, poisson (with load: 90%), burst\n"
	"    window: 2                    # messages in flight per destination\n"
	"    up: no                       # under heddle up it waits for 'heddle load start'\n"
	"\n"
	"expect:\n"
	"  - lost == 0\n"
	"  - reordered == 0\n";

/* two classes of traffic as in S4, and one for CNPs */
static const char roce_text[] =
	"  medium: shm                    # or veth: of 'heddle up' only\n"
	"\n"
	"switch:\n"
	"  latency: 350ns\n"
	"  forwarding: cut-through        # or store-and-forward\n"
	"\n"
	"roce:                            # what follows from the links: heddle check\n"
	"  pfc: {enabled: yes, pause: no, headroom: derived, watchdog: 10ms}\n"
	"  buffer: 32MiB                  # of a switch, headroom included\n"
	"  cnp-class: cnp\n"
	"  ecn: {kmin: 5kB, kmax: 200kB, per: 40Gb/s, pmax: 1%, at: enqueue}\n"
	"  congestion-control: dcqcn      # or swift, none, own\n"
	"  dcqcn:                         # no: no sender slows down\n"
	"    variant: paper               # or s4, vendor, hpcc: other numbers than these\n"
	"    g: 1/256\n"
	"    alpha: after-cut\n"
	"    alpha-initial: 1\n"
	"    alpha-timer: 55us\n"
	"    increase-timer: 55us\n"
	"    byte-counter: 10MB\n"
	"    fast-recovery: 5\n"
	"    hyper: both                  # or timer: T alone\n"
	"    ai: 40Mb/s\n"
	"    hai: 400Mb/s\n"
	"    rate-min: 40Mb/s\n"
	"    rate-initial: link\n"
	"    cut-interval: 0\n"
	"    reaction: at-once            # or tick: each cut-interval and alpha-timer\n"
	"    clamp-target: yes\n"
	"    cnp-interval: 50us\n"
	"  # with congestion-control: swift\n"
	"  # swift: {base-target: 20us, hop: 3us, fs-range: 100us, fs-min: 0.1, fs-max: 100, "
	"ai: 1,\n"
	"  #         beta: 0.8, max-mdf: 0.5, cwnd-min: 0.001, cwnd-max: 1000, cwnd-initial: 10,\n"
	"  #         retransmits: 5}\n"
	"  supplement: {enabled: no, period: 55us, idle: 10ms}\n"
	"  reference: 1.5                 # times kmax: a longer queue is congested although it "
	"marks\n"
	"  path-pause: {enabled: no, target: cnp-failed, form: target} # also high, low\n"
	"  # not given: timeout 67ms and rto-min 1ms; under the real clock, where ACKs may be "
	"late,\n"
	"  # 537ms and 200ms\n"
	"  queue-pair: {ack: 16, window: 0, retries: 7}\n"
	"  tcp: {initial-window: 10, window-max: 1024, ecn: no}\n"
	"  flows: 65536                   # that a switch remembers\n"
	"\n"
	"nic:\n"
	"  latency: 500ns\n"
	"\n"
	"classes:                         # shares of every link; class n is priority n\n"
	"  - {name: tcp, min: 50%, max: 100%, lossless: no, ecn: no, alpha: 1}\n"
	"  - {name: rdma, min: 50%, max: 100%, lossless: yes, ecn: yes, alpha: 1/8, watched: yes}\n"
	"  - {name: cnp, min: 0%, max: 100%, lossless: no, ecn: no}\n"
	"\n"
	"workloads:\n"
	"  - name: load\n"
	"    pattern: permutation         # or incast, uniform, all-to-all, pairs\n"
	"    size: 64KiB                  # of a message; or sizes: a CSV file\n"
	"    path-mtu: 4096               # payload of a packet: 256, 512, 1024, 2048, 4096\n"
	"    frame: roce                  # or roce-ipv6, tcp, ethernet, ipv4, ipv6, hpc\n"
	"    transport: rc                # or tcp, none\n"
	"    connections: 1               # queue pairs to each destination\n"
	"    class: rdma\n"
	"    arrival: closed              # or paced, poisson (with load: 90%), burst\n"
	"    window: 2                    # messages in flight per destination\n"
	"    up: no                       # under heddle up it waits for 'heddle load start'\n"
	"\n"
	"expect:\n"
	"  - lost == 0\n"
	"  - reordered == 0\n";

static void write_links(const struct generate_pace *pace, int mtu, FILE *out)
{
	fprintf(out,
		"\n"
		"links:                           # all links; some may differ: edge: {rate: "
		"100Gb/s}\n"
		"  rate: %s\n"
		"  delay: %-24s# propagation\n"
		"  mtu: %d%s",
		pace->rate, pace->delay, mtu, links_rest_text);
}

/* @buffer  replaces the value of the key `buffer` in @text, unless it is empty */
static void write_fabric(const char *text, const char *buffer, FILE *out)
{
	static const char key[] = "  buffer: ";
	const char *value = strstr(text, key);

	if (!*buffer || !value) {
		fputs(text, out);
		return;
	}
	value += strlen(key);
	fprintf(out, "%.*s%-22s", (int)(value - text), text, buffer);
	fputs(value + strcspn(value, "#") - 1, out);
}

int generate_text(enum generate_kind kind, const struct generate_size *size,
		  enum fabric_kind fabric, bool explicit_topology, const struct generate_pace *pace,
		  FILE *out)
{
	static const struct generate_pace data_centre = { "200Gb/s", "100Gb/s", "1us", "200us",
							  "50us",    "100ms",   "" };
	static const char *const texts[] = {
		[FABRIC_FLOW_CHANNEL] = flow_channel_text,
		[FABRIC_ROCE] = roce_text,
		[FABRIC_PORT_GROUP] = port_group_text,
	};
	int error = 0;

	_Static_assert(COUNT_OF(texts) == FABRIC_KINDS, "a text for each kind of fabric");

	pace = pace ? pace : &data_centre;
	fprintf(out, "# A %s: %s. docs/scenario.md has the default of each key.\n",
		generate_kind_name[kind], generate_kind_about[kind]);
	fprintf(out, "name: %s\nabout: every host sends to another one over a %s\nseed: 1\n",
		generate_kind_name[kind], generate_kind_name[kind]);
	fprintf(out, "fabric: %-24s # or", scenario_fabric_name[fabric]);
	for (unsigned i = 0, others = 0; i < FABRIC_KINDS; i++)
		if (i != (unsigned)fabric)
			fprintf(out, "%s %s", others++ ? "," : "", scenario_fabric_name[i]);
	fputs("\n\n", out);
	fprintf(out, "run: {duration: %s, warmup: %s, drain: yes, drain-max: %s, sample: 0}\n\n",
		pace->duration, pace->warmup, pace->drain_max);
	if (explicit_topology)
		error = write_explicit(kind, size, pace, out);
	else
		write_generated(kind, size, pace, out);
	write_links(pace, fabric == FABRIC_ROCE ? 4214 : 4096, out);
	write_fabric(texts[fabric], pace->buffer, out);
	if (fabric != FABRIC_ROCE)
		fputs(load_text, out);
	return error;
}

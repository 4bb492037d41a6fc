/*  three_hosts - a plan with one switch s1 and hosts h0, h1, h2 on its ports 0, 1, 2; the
 *  statistics pages are written by tests, as nodes would, and what follows from them is gathered
 *  and printed. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_RESULTS_THREE_HOSTS_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_RESULTS_THREE_HOSTS_H

#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/results.h"
#include "orchestrator/results/results_text.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/output.h"

#define HOSTS 3
#define NODES (HOSTS + 1)

static struct node_config nodes[NODES];
static struct port_config switch_ports[HOSTS], host_ports[HOSTS];
static struct plan_link links[HOSTS];
static struct plan_workload workloads[2];
static struct plan plan;
static struct stats_page *pages[NODES];
static struct results results;

static inline void set_up(void)
{
	plan = (struct plan){ .scenario = "three",
			      .seed = 1,
			      .duration_ps = 11 * NODE_US,
			      .warmup_ps = NODE_US,
			      .lookahead_ps = NODE_US,
			      .node_count = NODES,
			      .switch_count = 1,
			      .host_count = HOSTS,
			      .nodes = nodes,
			      .link_count = HOSTS,
			      .links = links,
			      .workload_count = 2,
			      .workloads = workloads };
	nodes[0] = (struct node_config){ .kind = NODE_SWITCH,
					 .name = "s1",
					 .port_count = HOSTS,
					 .class_count = 1,
					 .ports = switch_ports,
					 .switch_ = { .fabric_address = 1 } };
	strcpy(nodes[0].classes[0].name, "best");
	for (uint32_t i = 0; i < HOSTS; i++) {
		struct node_config *nic = &nodes[i + 1];

		*nic = (struct node_config){
			.kind = NODE_NIC,
			.index = i + 1,
			.port_count = 1,
			.ports = &host_ports[i],
			.nic = { .host_index = i, .flows_max = 4, .messages_max = 8 }
		};
		snprintf(nic->name, sizeof(nic->name), "h%u", i);
		host_ports[i] = (struct port_config){ .kind = PORT_EDGE,
						      .peer_name = "s1",
						      .peer_port = i,
						      .link_index = i,
						      .rate_bps = 100000000000,
						      .mtu_bytes = 4096,
						      .channels = 16 };
		switch_ports[i] = host_ports[i];
		switch_ports[i].peer_index = i + 1;
		switch_ports[i].peer_port = 0;
		snprintf(switch_ports[i].peer_name, sizeof(switch_ports[i].peer_name), "h%u", i);
		links[i] = (struct plan_link){
			.node_b = i + 1, .port_a = i, .rate_bps = 100000000000, .mtu_bytes = 4096
		};
	}
	strcpy(workloads[0].name, "first");
	strcpy(workloads[1].name, "second");
	workloads[0].packet_bytes = workloads[1].packet_bytes = 1500;
	for (uint32_t i = 0; i < NODES; i++) {
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
	}
	pages[0]->tables_taken = 1;
}

static inline void tear_down(void)
{
	results_free(&results);
	for (uint32_t i = 0; i < NODES; i++)
		free(pages[i]);
}

/* host @source sends @packets packets of 1000 bytes to @destination; @received of them arrive, all
 * of them in the measured interval */
static inline void flow_add(uint32_t source, uint32_t destination, uint32_t workload,
			    uint64_t packets, uint64_t received)
{
	struct stats_page *from = pages[source + 1], *to = pages[destination + 1];
	uint32_t slot = (uint32_t)from->flow_tx_count++, row = (uint32_t)to->flow_rx_count;

	*stats_flow_tx(from, slot) = (struct flow_tx_stats){ .workload_index = workload,
							     .destination = destination,
							     .packets = packets,
							     .bytes = packets * 1000 };
	from->injected_bytes += packets * 1000;
	if (!received)
		return;
	to->flow_rx_count++;
	to->delivered_bytes += received * 1000;
	*stats_flow_rx(to, row) = (struct flow_rx_stats){ .source = source,
							  .source_slot = slot,
							  .workload_index = workload,
							  .packets = received,
							  .bytes = received * 1000,
							  .measured_bytes = received * 1000,
							  .first_ps = 2 * NODE_US,
							  .last_ps = 9 * NODE_US };
}

static inline void message_add(uint32_t host, uint32_t row, node_time_t start_ps,
			       node_time_t end_ps)
{
	*stats_message(pages[host + 1], pages[host + 1]->message_count++) = (struct message_stats){
		.flow = row, .bytes = 1000, .start_ps = start_ps, .end_ps = end_ps
	};
	stats_flow_rx(pages[host + 1], row)->messages++;
}

/* h1 and h2 send to h0, whose port is congested at 3 us; the port of h1 is notified 2 us later, the
 * port of h2 5 us later */
static inline void incast_add(void)
{
	struct port_stats *egress = stats_port(pages[0], 0);

	flow_add(1, 0, 0, 5, 5);
	flow_add(2, 0, 0, 5, 5);
	flow_add(2, 0, 1, 5, 5);
	*egress =
		(struct port_stats){ .eca_acks = 40, .eca_max = 255, .eca_first_ps = 3 * NODE_US };
	stats_port(pages[0], 1)->limited_first_ps = 5 * NODE_US;
	stats_port(pages[0], 2)->limited_first_ps = 8 * NODE_US;
}

static inline void gather_at(node_time_t end_ps)
{
	results.end_ps = end_ps;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
}

/* in place of former results */
static inline void gather(bool empty)
{
	results_free(&results);
	results.empty = empty;
	gather_at(11 * NODE_US);
}

/* the results as JSON; to be freed */
static inline char *json_text(const struct result_host *host)
{
	return json_of(&plan, &results, host);
}

static inline char *summary_text(void)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	results_text_write(&plan, &results, NULL, NULL, false, out);
	fclose(out);
	return text;
}

/* what @write writes; to be freed */
static inline char *written(void (*write)(const struct plan *plan, const struct results *results,
					  bool colour, FILE *out))
{
	return output_of(write, &plan, &results);
}

#endif

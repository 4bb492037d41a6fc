/*  orchestrator/scenario/scenario and its readers: defaults, every section, --set, places of errors
 *  (TB-11, TB-12). tests/bad-scenarios/ has what is rejected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/scenario/scenario.h"
#include "orchestrator/scenario/scenario_elsewhere.h"
#include "orchestrator/scenario/scenario_keys.h"
#include "orchestrator/base/control_file.h"
#include "orchestrator/scenario/size_file.h"
#include "tests/unit/orchestrator/scenario/read_scenario.h"

#define STAR "name: t\nrun: {duration: 100us}\ntopology: {generate: star, hosts: 4}\n"

static int read_set(const char *text, const char *const *settings, unsigned count)
{
	return scenario_read_memory("t.yaml", text, strlen(text), settings, count, &scenario,
				    &errors);
}

/* @text must be valid */
static void read_fine(const char *text)
{
	int error = read_set(text, NULL, 0);

	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
}

static void read_fine_set(const char *text, const char *setting)
{
	int error = read_set(text, &setting, 1);

	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
}

TEST_GROUP(scenario, .setup = setup, .teardown = teardown);

/* ---- values ---- */

TEST(scenario_read__defaults)
{
	read_fine(STAR);
	ck_assert_str_eq(scenario.name, "t");
	ck_assert_str_eq(scenario.about, "");
	ck_assert_uint_eq(scenario.seed, 1);
	ck_assert_uint_eq(scenario.dilation, 1);
	ck_assert_uint_eq(scenario.run.duration_ps, 100 * NODE_US);
	ck_assert_uint_eq(scenario.run.warmup_ps, 0);
	ck_assert(scenario.run.drain);
	ck_assert_uint_eq(scenario.switch_.latency_ps, 350 * NODE_NS);
	ck_assert(scenario.switch_.cut_through);
	ck_assert_int_eq(scenario.switch_.arbiter, ARBITER_BY_FLOW);
	ck_assert_uint_eq(scenario.switch_.ack_t1_ps, 30 * NODE_NS); /* FC-18 */
	ck_assert_uint_eq(scenario.switch_.ack_t2_ps, 60 * NODE_NS);
	ck_assert_uint_eq(scenario.switch_.ack_t3_ps, 90 * NODE_NS);
	ck_assert_uint_eq(scenario.hosts[0].link.rate_bps, 200000000000); /* FC-22 */
	ck_assert_uint_eq(scenario.hosts[0].link.channels, 2048);         /* FC-5 */
	ck_assert_uint_eq(scenario.class_count, 1);
	ck_assert_str_eq(scenario.classes[0].name, "best-effort");
	ck_assert_uint_eq(scenario.workload_count, 0);
}

TEST(scenario_read__run)
{
	read_fine("name: t\nabout: all of it\nseed: 9223372036854775807\n"
		  "run: {duration: 1ms, warmup: 100us, drain: no, drain-max: 5ms, sample: 1us}\n"
		  "topology: {generate: star, hosts: 2}\n");
	ck_assert_str_eq(scenario.about, "all of it");
	ck_assert_uint_eq(scenario.seed, INT64_MAX);
	ck_assert_uint_eq(scenario.run.warmup_ps, 100 * NODE_US);
	ck_assert(!scenario.run.drain);
	ck_assert_uint_eq(scenario.run.drain_max_ps, 5 * NODE_MS);
	ck_assert_uint_eq(scenario.run.sample_ps, NODE_US);
}

TEST(scenario_read__switch_and_nic)
{
	read_fine(STAR "switch:\n  latency: 300ns\n  forwarding: store-and-forward\n  arbiter: "
		       "by-port\n  buffer: 1MiB\n"
		       "  output-queue: 16KiB\n  flow-key: [vlan, hpc]\n  acks: {t1: 10ns, t2: "
		       "20ns, t3: 30ns, collect: 48}\n"
		       "nic: {latency: 400ns, flows-max: 7, messages-max: 9, fgfc-entries: 11}\n");
	ck_assert_uint_eq(scenario.switch_.latency_ps, 300 * NODE_NS);
	ck_assert(!scenario.switch_.cut_through);
	ck_assert_int_eq(scenario.switch_.arbiter, ARBITER_BY_PORT);
	ck_assert_uint_eq(scenario.buffer_bytes, 1 << 20);
	ck_assert_uint_eq(scenario.switch_.output_queue_units_max, 64);
	ck_assert_uint_eq(scenario.match.fields, MATCH_VLAN | MATCH_HPC); /* FC-2 */
	ck_assert_uint_eq(scenario.switch_.ack_t3_ps, 30 * NODE_NS);
	ck_assert_uint_eq(scenario.switch_.ack_collect, 48);
	ck_assert_uint_eq(scenario.nic.latency_ps, 400 * NODE_NS);
	ck_assert_uint_eq(scenario.nic.flows_max, 7);
	ck_assert_uint_eq(scenario.nic.messages_max, 9);
	ck_assert_uint_eq(scenario.nic.fgfc_entries_max, 11);
}

TEST(scenario_read__classes)
{
	read_fine(STAR "classes: [{name: low, min: 10%, max: 50%}, {name: high, min: 62.5%}]\n"
		       "workloads: [{name: w, pattern: permutation, class: high}]\n");
	ck_assert_uint_eq(scenario.class_count, 2);
	ck_assert_uint_eq(scenario.classes[0].min_permille, 100);
	ck_assert_uint_eq(scenario.classes[0].max_permille, 500);
	ck_assert_uint_eq(scenario.classes[1].min_permille, 625);
	ck_assert_uint_eq(scenario.classes[1].max_permille, 1000);
	ck_assert_uint_eq(scenario.workloads[0].traffic_class, 1);
}

TEST(scenario_read__links_from_general_to_special)
{
	read_fine("name: t\nrun: {duration: 1us}\n"
		  "links: {rate: 100Gb/s, delay: 2us, edge: {rate: 50Gb/s}, fabric: {delay: 3us}}\n"
		  "topology:\n"
		  "  switches: [s1, s2]\n"
		  "  hosts: {A: s1, B: {switch: s2, rate: 10Gb/s}}\n"
		  "  links: [[s1, s2], {between: [s1, s2], rate: 400Gb/s, loss: 0.1%, bit-errors: "
		  "1e-12}]\n");
	ck_assert_uint_eq(scenario.hosts[0].link.rate_bps, 50000000000);
	ck_assert_uint_eq(scenario.hosts[0].link.delay_ps, 2 * NODE_US);
	ck_assert_uint_eq(scenario.hosts[1].link.rate_bps, 10000000000);
	ck_assert_uint_eq(scenario.hosts[1].switch_index, 1);
	ck_assert_uint_eq(scenario.links[0].settings.rate_bps, 100000000000);
	ck_assert_uint_eq(scenario.links[0].settings.delay_ps, 3 * NODE_US);
	ck_assert_uint_eq(scenario.links[1].settings.rate_bps, 400000000000);
	ck_assert_uint_eq(scenario.links[1].settings.loss_ppb, 1000000);
	ck_assert_uint_eq(scenario.links[1].settings.bit_error_e15, 1000);
}

/* DU-6: directions of single links; what is not given is that of the link */
TEST(scenario__directions_of_links)
{
	const struct scenario_host *host;
	const struct scenario_link *link;

	read_fine("name: t\n"
		  "seed: 1\n"
		  "run: {duration: 100us, warmup: 10us}\n"
		  "links: {rate: 1Gb/s, delay: 1ms, edge: {jitter: 3us}}\n"
		  "topology:\n"
		  "  switches: [s1, s2]\n"
		  "  hosts: {A: s1, B: {switch: s2, towards: {B: {rate: 1kb/s}, s2: {loss: "
		  "100%}}}}\n"
		  "  links: [{between: [s1, s2], delay: 4ms, towards: {s1: {jitter: 2ms, "
		  "jitter-shape: normal}}}]\n");
	host = &scenario.hosts[1];
	link = &scenario.links[0];
	ck_assert_uint_eq(scenario.hosts[0].back.jitter_ps, 3 * NODE_US);
	ck_assert_uint_eq(host->back.rate_bps, 1000);
	ck_assert_uint_eq(host->link.rate_bps, 1000000000);
	ck_assert_uint_eq(host->link.loss_ppb, 1000000000);
	ck_assert_uint_eq(host->back.loss_ppb, 0);
	ck_assert_uint_eq(link->settings.jitter_ps, 0);
	ck_assert_uint_eq(link->settings.delay_ps, 4 * NODE_MS);
	ck_assert_uint_eq(link->back.delay_ps, 4 * NODE_MS);
	ck_assert_uint_eq(link->back.jitter_ps, 2 * NODE_MS);
	ck_assert_int_eq(link->back.jitter_shape, JITTER_NORMAL);
}

static const char *match_text(const struct flow_match *match)
{
	static char text[FLOW_MATCH_TEXT_MAX];
	FILE *out = fmemopen(text, sizeof(text), "w");

	flow_match_print(match, out);
	fclose(out);
	return text;
}

/* FC-2: a host's own flow key overrides that of all switches; it may follow later in the file, and
 * name generated hosts */
TEST(scenario_read__flow_keys_of_hosts)
{
	read_fine("name: t\nrun: {duration: 1us}\n"
		  "topology:\n  switches: [s1]\n"
		  "  hosts: {A: s1, B: {switch: s1, flow-key: [vlan/4, 'source-port&0xff00']}, C: "
		  "{switch: s1, "
		  "flow-key: []}}\n"
		  "switch: {flow-key: destination-ip/24}\n");
	ck_assert_str_eq(match_text(&scenario.hosts[0].match), "destination-ip/24");
	ck_assert_str_eq(match_text(&scenario.hosts[1].match), "vlan/4, source-port/8");
	ck_assert_str_eq(match_text(&scenario.hosts[2].match), "none");
	scenario_free(&scenario);
	read_fine(STAR);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_str_eq(match_text(&scenario.hosts[i].match),
				 "source-mac, ip-pair, ports, hpc");
	scenario_free(&scenario);
	read_fine(
		"name: t\nrun: {duration: 1us}\n"
		"topology: {generate: star, hosts: 3, flow-keys: {h2: [queue-pair/8], h0: hpc}}\n");
	ck_assert_str_eq(match_text(&scenario.hosts[0].match), "hpc");
	ck_assert_str_eq(match_text(&scenario.hosts[1].match), "source-mac, ip-pair, ports, hpc");
	ck_assert_str_eq(match_text(&scenario.hosts[2].match), "queue-pair/8");
}

TEST(scenario_read__medium_of_links)
{
	read_fine("name: t\nrun: {duration: 1ms}\n"
		  "links: {fabric: {medium: veth}}\n"
		  "topology:\n"
		  "  switches: [s1, s2]\n"
		  "  hosts: {h1: s1, h2: {switch: s2, medium: veth}}\n"
		  "  links: [[s1, s2], {between: [s1, s2], medium: shm}]\n");
	ck_assert_int_eq(scenario.hosts[0].link.medium, MEDIUM_SHM); /* TB-2, TB-3: the default */
	ck_assert_int_eq(scenario.hosts[1].link.medium, MEDIUM_VETH);
	ck_assert_int_eq(scenario.links[0].settings.medium, MEDIUM_VETH);
	ck_assert_int_eq(scenario.links[1].settings.medium, MEDIUM_SHM);
}

TEST(scenario_read__order_of_sections_does_not_matter)
{
	read_fine("workloads: [{name: w, pattern: incast, to: A, class: low}]\n"
		  "topology: {switches: [s1], hosts: {A: s1, B: s1}}\n"
		  "links: {rate: 1Gb/s}\nclasses: [{name: low}]\nrun: {duration: 1us}\nname: t\n");
	ck_assert_uint_eq(scenario.hosts[1].link.rate_bps, 1000000000);
}

/* ---- workloads ---- */

TEST(scenario_read__incast_all_but_the_receiver)
{
	read_fine(STAR "workloads: [{name: w, pattern: incast, to: h2, size: 1MiB, window: 4}]\n");
	ck_assert_uint_eq(scenario.workloads[0].sender_count, 3);
	ck_assert_uint_eq(scenario.workloads[0].senders[2], 3);
	ck_assert_uint_eq(scenario.workloads[0].receivers[0], 2);
	ck_assert_uint_eq(scenario.workloads[0].message_bytes, 1 << 20);
	ck_assert_uint_eq(scenario.workloads[0].window, 4);
	ck_assert_int_eq(scenario.workloads[0].arrival, ARRIVAL_CLOSED);
	ck_assert_int_eq(scenario.workloads[0].frame, FRAME_HPC);
}

TEST(scenario_read__permutation_by_half_the_hosts)
{
	read_fine(STAR "workloads: [{name: w, pattern: permutation}]\n");
	ck_assert_uint_eq(scenario.workloads[0].shift, 2);
	ck_assert_uint_eq(scenario.workloads[0].message_bytes, 64 << 10);
}

TEST(scenario_read__pairs)
{
	read_fine(STAR "workloads: [{name: w, pattern: pairs, pairs: [[h0, h1], [h0, h2]], frame: "
		       "roce, path-mtu: 1024,\n"
		       "  start: 1us, stop: 50us, messages: 3}]\n");
	ck_assert_uint_eq(scenario.workloads[0].sender_count, 2);
	ck_assert_uint_eq(scenario.workloads[0].receivers[1], 2);
	ck_assert_uint_eq(scenario.workloads[0].packet_bytes, 1024 + 58);
	ck_assert_int_eq(scenario.workloads[0].frame, FRAME_ROCE);
	ck_assert_uint_eq(scenario.workloads[0].start_ps, NODE_US);
	ck_assert_uint_eq(scenario.workloads[0].stop_ps, 50 * NODE_US);
	ck_assert_uint_eq(scenario.workloads[0].messages_max, 3);
}

TEST(scenario_read__open_loops)
{
	read_fine(STAR "workloads:\n"
		       "  - {name: a, pattern: uniform, from: h0, to: [h1, h2], arrival: poisson, "
		       "load: 62.5%}\n"
		       "  - {name: b, pattern: all-to-all, arrival: burst, burst: {messages: 8, "
		       "period: 10us}}\n");
	ck_assert_uint_eq(scenario.workloads[0].load_permille, 625);
	ck_assert_uint_eq(scenario.workloads[0].sender_count, 1);
	ck_assert_uint_eq(scenario.workloads[0].receiver_count, 2);
	ck_assert_uint_eq(scenario.workloads[1].burst_messages, 8);
	ck_assert_uint_eq(scenario.workloads[1].burst_period_ps, 10 * NODE_US);
	ck_assert_uint_eq(scenario.workloads[1].sender_count, 4);
}

/* DU-7 */
TEST(scenario_read__classes_by_dscp_and_pcp)
{
	read_fine("classes: [{name: low}, {name: high, dscp: [46, 32-39], pcp: 5}]\n" STAR);
	ck_assert_uint_eq(scenario.classes[0].dscp_set, 0);
	ck_assert_uint_eq(scenario.classes[1].dscp_set, 1ull << 46 | 0xffull << 32);
	ck_assert_uint_eq(scenario.classes[1].pcp_set, 1u << 5);
}

/* EC-4 */
TEST(scenario_read__pauses)
{
	read_fine("classes: [{name: low}, {name: high}]\n" STAR
		  "pauses:\n  - {host: h3, start: 10us, stop: 300us, every: 20us, for: 15us, "
		  "class: high}\n"
		  "  - {host: h1, start: 99us, for: 5us}\n");
	ck_assert_uint_eq(scenario.pause_count, 2);
	ck_assert_uint_eq(scenario.pauses[0].host, 3);
	ck_assert_uint_eq(scenario.pauses[0].config.start_ps, 10 * NODE_US);
	/* beyond the end of the run: the plan cuts it there */
	ck_assert_uint_eq(scenario.pauses[0].config.stop_ps, 300 * NODE_US);
	ck_assert_uint_eq(scenario.pauses[0].config.every_ps, 20 * NODE_US);
	ck_assert_uint_eq(scenario.pauses[0].config.for_ps, 15 * NODE_US);
	ck_assert_uint_eq(scenario.pauses[0].config.classes, 2);
	ck_assert_uint_eq(scenario.pauses[1].config.stop_ps, 104 * NODE_US);
	ck_assert_uint_eq(scenario.pauses[1].config.classes, 3);
}

/* without 'every' there is one pause */
TEST(scenario_read__pause_once)
{
	read_fine(STAR "pauses: [{host: h1, start: 20us, for: 5us}]\n");
	ck_assert_uint_eq(scenario.pauses[0].config.start_ps, 20 * NODE_US);
	ck_assert_uint_eq(scenario.pauses[0].config.stop_ps, 25 * NODE_US);
	ck_assert_uint_eq(scenario.pauses[0].config.for_ps, scenario.pauses[0].config.every_ps);
	ck_assert_uint_eq(scenario.pauses[0].config.classes, 1);
}

TEST(scenario_read__expectations_with_their_places)
{
	read_fine(STAR "expect:\n  - lost == 0\n  - share(h0, h1) == 1/144 +- 2%\n");
	ck_assert_uint_eq(scenario.expectation_count, 2);
	ck_assert_str_eq(scenario.expectations[1].text, "share(h0, h1) == 1/144 +- 2%");
	ck_assert_int_eq(scenario.expectations[1].place.line, 6);
	ck_assert_int_eq(scenario.expectations[1].place.column, 5);
}

TEST(scenario_read_file__sizes_are_beside_the_scenario)
{
	ck_assert_int_eq(
		scenario_read_file("topologies/web-search.yaml", NULL, 0, &scenario, &errors), 0);
	ck_assert_uint_eq(scenario.workloads[0].size_count, 11);
	ck_assert_uint_eq(scenario.workloads[0].message_bytes, 0);
}

/* settings of a fork choose no files: neither with a plain name nor with an escape, whether there
 * is one or not; the scenario's own file stays */
TEST(scenario_read_closed__no_new_files)
{
	static const char *const wrong[] = {
		"workloads.0.sizes=/etc/hostname",
		"workloads.0.\"si\\x7aes\"=/etc/hostname",
		("workloads.0={\"name\":\"q\",\"pattern\":\"permutation\","
		 "\"si\\x7aes\":\"/etc/hostname\"}"),
		"workloads.0.sizes=/no/such/file",
		"workloads.0.sizes=web-search.yaml",
		"roce.own-control=/tmp/e.so",
		"roce={\"own-contr\\x6fl\":\"/tmp/e.so\"}",
	};
	static const char *const right[] = { "seed=7", "workloads.0.sizes=./web-search.csv" };

	for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
		const char *settings[] = { "seed=7", wrong[i] };

		ck_assert_int_eq(scenario_read_closed("topologies/web-search.yaml", settings, 1, 2,
						      SCENARIO_NO_VARIANT, &scenario, &errors),
				 -EINVAL);
		ck_assert_msg(i == 1 || strstr(errors.texts[0], "may not name a file"), "%s: %s",
			      wrong[i], errors.texts[0]);
		scenario_errors_free(&errors);
		scenario_free(&scenario);
		memset(&errors, 0, sizeof(errors));
	}
	ck_assert_int_eq(scenario_read_closed("topologies/web-search.yaml", right, 1, 2,
					      SCENARIO_NO_VARIANT, &scenario, &errors),
			 0);
	ck_assert_uint_eq(scenario.workloads[0].size_count, 11);
}

/* TB-13: the digest covers the scenario and the files that it names, as sha256sum computes it;
 * settings are stored beside it */
TEST(scenario_read_file__has_its_digest)
{
	static const char *const settings[] = { "seed=7", "run.duration=1ms" };
	char digest[SHA256_TEXT_MAX], expected[SHA256_TEXT_MAX + 8] = "";
	FILE *sum =
		popen("cat topologies/web-search.yaml topologies/web-search.csv | sha256sum", "r");
	const struct origin *origin;

	ck_assert_ptr_nonnull(fgets(expected, SHA256_TEXT_MAX, sum));
	ck_assert_int_eq(pclose(sum), 0);
	ck_assert_int_eq(
		scenario_read_file("topologies/web-search.yaml", settings, 2, &scenario, &errors),
		0);
	origin = scenario.origin;
	ck_assert_str_eq(sha256_text(&origin->digest, digest), expected);
	ck_assert_uint_eq(origin->setting_count, 2);
	ck_assert_str_eq(origin->settings[1], "run.duration=1ms");
	ck_assert_str_eq(yaml_find(yaml_find(origin->effective, "run"), "duration")->text, "1ms");
}

/* ---- --set (TB-10) ---- */

TEST(scenario_set__replaces_a_value)
{
	read_fine_set(STAR "switch: {arbiter: by-flow}\n", "switch.arbiter=by-port");
	ck_assert_int_eq(scenario.switch_.arbiter, ARBITER_BY_PORT);
}

TEST(scenario_set__adds_missing_keys)
{
	read_fine_set(STAR, "links.edge.rate=10Gb/s");
	ck_assert_uint_eq(scenario.hosts[0].link.rate_bps, 10000000000);
}

TEST(scenario_set__element_by_number_and_by_name)
{
	static const char text[] = STAR
		"workloads: [{name: a, pattern: permutation}, {name: b, pattern: permutation}]\n";
	static const char *const settings[] = { "workloads.0.size=1MiB", "workloads.b.size=2MiB" };

	ck_assert_int_eq(read_set(text, settings, 2), 0);
	ck_assert_uint_eq(scenario.workloads[0].message_bytes, 1 << 20);
	ck_assert_uint_eq(scenario.workloads[1].message_bytes, 2 << 20);
}

TEST(scenario_set__appends_and_takes_yaml)
{
	static const char *const settings[] = { "workloads.0={name: a, pattern: incast, to: h0}",
						"expect=[lost == 0, reordered == 0]",
						"expect.2=jain(a) >= 0.9" };

	ck_assert_int_eq(read_set(STAR "workloads: []\n", settings, 3), 0);
	ck_assert_uint_eq(scenario.workload_count, 1);
	ck_assert_uint_eq(scenario.expectation_count, 3);
	ck_assert_str_eq(scenario.expectations[2].text, "jain(a) >= 0.9");
	ck_assert_int_eq(scenario.expectations[2].place.setting, 3);
}

TEST(scenario_set__errors_name_the_setting)
{
	static const char *const settings[] = { "run.duration=50us", "links.rate=fast" };

	ck_assert_int_eq(read_set(STAR, settings, 2), -EINVAL);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_int_eq(strncmp(errors.texts[0], "--set links.rate=fast: ", 23), 0);
}

/* ---- errors ---- */

/* TB-11: a word that is a key elsewhere: suggestions are keys of that place, and none of this
 * one */
TEST(scenario_set__words_that_are_keys_elsewhere)
{
	static const char star[] =
		"name: t\nrun: {duration: 10us}\ntopology: {generate: star, hosts: 4}\n"
		"workloads: [{name: w, pattern: incast, to: h0}]\n";

	static const struct {
		const char *in, *word, *meant;
	} words[] = {
		{ "a workload", "rate", "load" },
		{ "a workload", "mtu", "packet" },
		{ "a scenario", "duration", "run.duration" },
		{ "a scenario", "sample", "run.sample" },
		{ "a scenario", "delay", "links.delay" },
		{ "a scenario", "buffer", "switch.buffer" },
		{ "a scenario", "flow-key", "switch.flow-key" },
		{ "a scenario", "fgfc", "congestion.fgfc" },
		{ "a scenario", "dcqcn", "roce.dcqcn" },
		{ "a scenario", "redirect", "routing.redirect" },
		{ "a scenario", "becn", "port-group.becn" },
		{ "a scenario", "flows-max", "nic.flows-max" },
	};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const __typeof__(*words) *row = &words[i];
		bool of_workload = !strcmp(row->in, "a workload");
		char said[128], meant[128], hint[128];
		const char *settings[] = { said };

		snprintf(said, sizeof(said), "%s%s=zzz", of_workload ? "workloads.0." : "",
			 row->word);
		snprintf(hint, sizeof(hint), " has no key '%s' - did you mean '%s'?", row->word,
			 row->meant);
		ck_assert_int_eq(scenario_read_memory("t", star, strlen(star), settings, 1,
						      &scenario, &errors),
				 -EINVAL);
		ck_assert_msg(strstr(errors.texts[0], hint) != NULL, "%s", errors.texts[0]);
		scenario_free(&scenario);
		scenario_errors_free(&errors);
		snprintf(meant, sizeof(meant), "%s%s=zzz", of_workload ? "workloads.0." : "",
			 row->meant);
		settings[0] = meant;
		scenario_read_memory("t", star, strlen(star), settings, 1, &scenario, &errors);
		for (unsigned e = 0; e < errors.count && e < SCENARIO_ERRORS_MAX; e++)
			ck_assert_msg(strstr(errors.texts[e], "has no key") == NULL, "%s",
				      errors.texts[e]);
		scenario_free(&scenario);
		scenario_errors_free(&errors);
	}
}

/* a byte order mark at the start, and nowhere else; columns count from after it */
TEST(scenario_read__byte_order_mark)
{
	read_fine("\xef\xbb\xbf" STAR);
	scenario_free(&scenario);
	ck_assert_int_eq(read_set("\xef\xbb\xbfnam: t\n", NULL, 0), -EINVAL);
	ck_assert_ptr_nonnull(strstr(errors.texts[0], "t.yaml:1:1: a scenario has no key 'nam'"));
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	ck_assert_int_eq(read_set(STAR "\xef\xbb\xbf", NULL, 0), -EINVAL);
	ck_assert_ptr_nonnull(strstr(errors.texts[0], "this is not text"));
}

TEST(scenario_errors__all_are_collected)
{
	static const char text[] =
		"nam: t\nrun: {duration: 1, warmup: x}\ntopology: {generate: star, hosts: 0}\n";

	ck_assert_int_eq(read_set(text, NULL, 0), -EINVAL);
	ck_assert_uint_eq(errors.count, 5);
	ck_assert_str_eq(errors.texts[0],
			 "t.yaml:1:1: a scenario has no key 'nam' - did you mean 'name'?");
}

TEST(scenario_errors__no_more_than_twenty_are_kept)
{
	char printed[4096] = "";
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	for (int i = 1; i <= 25; i++)
		scenario_errors_add(&errors, "f", i, 1, "wrong");
	scenario_errors_print(&errors, out);
	fclose(out);
	ck_assert_uint_eq(errors.count, 25);
	ck_assert_ptr_nonnull(strstr(printed, "f:20:1: wrong\n... and 5 more\n"));
}

TEST(scenario_read_file__rejects_missing_file_and_folder)
{
	ck_assert_int_eq(scenario_read_file("/nonexistent/x.yaml", NULL, 0, &scenario, &errors),
			 -EINVAL);
	ck_assert_str_eq(errors.texts[0],
			 "/nonexistent/x.yaml: cannot be read: No such file or directory");
	ck_assert_int_eq(scenario_read_file("/", NULL, 0, &scenario, &errors), -EINVAL);
}

TEST(scenario_read_memory__rejects_what_is_too_large)
{
	char *text = calloc(1, SCENARIO_BYTES_MAX + 1);

	memset(text, '\n', SCENARIO_BYTES_MAX + 1);
	ck_assert_int_eq(scenario_read_memory("big", text, SCENARIO_BYTES_MAX + 1, NULL, 0,
					      &scenario, &errors),
			 -EINVAL);
	free(text);
}

/* as if they were not there */
TEST(scenario_read__sections_without_a_value)
{
	ck_assert_int_eq(read_text("t.yaml", "name: t\nrun: {duration: 100us}\n"
					     "topology: {generate: star, hosts: 2}\n"
					     "expect:\nfaults:\npauses:\nworkloads:\n"),
			 0);
	ck_assert_uint_eq(errors.count, 0);
	ck_assert_uint_eq(scenario.expectation_count, 0);
	ck_assert_uint_eq(scenario.fault_count, 0);
	ck_assert_uint_eq(scenario.pause_count, 0);
	ck_assert_uint_eq(scenario.workload_count, 0);
}

/* a file of that length is refused with @sentence, when it is named after @key */
static void too_long(off_t bytes, const char *format, const char *sentence)
{
	char path[] = "/tmp/test_scenario.XXXXXX", text[400], wanted[200];
	int fd = mkstemp(path);

	ck_assert_int_eq(ftruncate(fd, bytes), 0);
	snprintf(text, sizeof(text), format, path);
	ck_assert_int_eq(read_text("t.yaml", text), -EINVAL);
	snprintf(wanted, sizeof(wanted), "'%s' %s", path, sentence);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_msg(strstr(errors.texts[0], wanted) != NULL, "%s", errors.texts[0]);
	close(fd);
	unlink(path);
	teardown();
	setup();
}

TEST(scenario_read__files_that_are_too_long)
{
	too_long(SIZE_FILE_BYTES_MAX + 1,
		 "name: t\nrun: {duration: 100us}\ntopology: {generate: star, hosts: 2}\n"
		 "workloads: [{name: w, pattern: permutation, sizes: %s}]\n",
		 "is larger than 65536 bytes: this is no list of sizes");
	too_long(CONTROL_FILE_BYTES_MAX + 1,
		 "name: t\nrun: {duration: 100us}\ntopology: {generate: star, hosts: 2}\n"
		 "fabric: roce\nroce: {congestion-control: own, own-control: %s}\n",
		 "is larger than 16777216 bytes");
}

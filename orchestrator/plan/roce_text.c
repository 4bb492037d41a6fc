#include "orchestrator/plan/roce_text.h"

#include "orchestrator/base/human.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/plan/plan_roce.h"

#define LEVEL_TEXT_MAX (2 * HUMAN_TEXT_MAX + sizeof(" per "))

static const char *const form_names[PATH_PAUSE_FORMS] = {
	[PATH_PAUSE_TARGET] = "PFC for the watched classes",
	[PATH_PAUSE_ALL] = "PFC for all classes",
	[PATH_PAUSE_NONE] = "PFC that names no class",
	[PATH_PAUSE_PORT] = "PAUSE for the port",
};

/* ---- for people ---- */

/* a level, or a share of the free buffer, or both: the lower one applies */
static void level_print(uint64_t level_bytes, uint32_t alpha_permille, FILE *out)
{
	char bytes[HUMAN_TEXT_MAX], share[QUANTITY_TEXT_MAX];

	if (level_bytes)
		fprintf(out, "%s%s", human_bytes(level_bytes, bytes), alpha_permille ? " or " : "");
	if (alpha_permille)
		fprintf(out, "%s of the free buffer",
			quantity_format(QUANTITY_SHARE,
					alpha_permille * (QUANTITY_SHARE_ONE / 1000), share));
}

/* a queue length, and the port rate that it applies to, unless it applies to all */
static const char *level_text(uint64_t bytes, uint64_t per_bps, char text[LEVEL_TEXT_MAX])
{
	char number[HUMAN_TEXT_MAX], rate[HUMAN_TEXT_MAX];

	snprintf(text, LEVEL_TEXT_MAX, "%s%s%s", human_bytes(bytes, number), per_bps ? " per " : "",
		 per_bps ? human_rate(per_bps, rate) : "");
	return text;
}

static void class_print(const struct node_config *node, uint32_t index, FILE *out)
{
	const struct roce_class_config *class = &node->roce.classes[index];
	char text[2][HUMAN_TEXT_MAX], share[QUANTITY_TEXT_MAX], level[2][LEVEL_TEXT_MAX];

	fprintf(out, "  class %u     %s: ", index, node->classes[index].name);
	if (class->lossless && node->roce.pfc) {
		fprintf(out, "lossless, paused above ");
		level_print(class->xoff_bytes, class->alpha_permille, out);
		fprintf(out, ", resumed %s below", human_bytes(class->xon_offset_bytes, text[0]));
	} else {
		fprintf(out, "%s, dropped above ",
			class->lossless ? "not lossless without PFC" : "lossy");
		level_print(class->queue_bytes_max, class->alpha_permille, out);
	}
	if (class->ecn)
		fprintf(out, "; marked from %s to %s, up to %s",
			level_text(class->kmin_bytes,
				   class->kmin_per_bps == class->kmax_per_bps ? 0
									      : class->kmin_per_bps,
				   level[0]),
			level_text(class->kmax_bytes, class->kmax_per_bps, level[1]),
			quantity_format(QUANTITY_SHARE,
					class->pmax_ppm * (QUANTITY_SHARE_ONE / 1000000), share));
	fprintf(out, "%s%s\n", class->watched ? "; watched" : "",
		index == node->roce.cnp_class ? "; CNPs" : "");
}

static void mechanisms_print(const struct roce_config *roce, FILE *out)
{
	const struct dcqcn_config *dcqcn = &roce->dcqcn;
	char text[4][HUMAN_TEXT_MAX], level[2][LEVEL_TEXT_MAX];

	if (roce->congestion != CONGESTION_DCQCN)
		fprintf(out, "  control     %s\n", congestion_words[roce->congestion]);
	else if (dcqcn->enabled)
		fprintf(out,
			"  dcqcn       alpha timer %s, increase timer %s, byte counter %s, lowest "
			"rate %s\n",
			human_time(dcqcn->alpha_timer_ps, text[0]),
			human_time(dcqcn->increase_timer_ps, text[1]),
			dcqcn->byte_counter_bytes ? human_bytes(dcqcn->byte_counter_bytes, text[2])
						  : "off",
			human_rate(dcqcn->rate_min_bps, text[3]));
	else
		fprintf(out, "  dcqcn       off\n");
	if (roce->supplement)
		fprintf(out, "  supplement  a CNP for a flow without one for %s\n",
			human_time(roce->increase_period_ps, text[0]));
	else
		fprintf(out, "  supplement  off\n");
	if (roce->path_pause)
		fprintf(out, "  path pause  %s failed and above %s: %s, until below %s\n",
			roce->path_target == ROCE_ECN_FAILED ? "ECN" : "CNP",
			level_text(roce->path_high_bytes, roce->path_per_bps, level[0]),
			form_names[roce->path_form],
			level_text(roce->path_low_bytes, roce->path_per_bps, level[1]));
	else
		fprintf(out, "  path pause  off\n");
}

/* reports a headroom of the scenario that is too small, which may be on purpose */
static void shortage_print(const struct plan *plan, const struct node_config *node, FILE *out)
{
	uint64_t needed_bytes = 0;
	char text[HUMAN_TEXT_MAX];

	for (uint32_t p = 0; p < node->port_count && plan_roce_lossless(node); p++) {
		const struct port_config *port = &node->ports[p];
		uint64_t bytes =
			plan_roce_headroom_bytes(&plan->nodes[port->peer_index], node, port);

		if (bytes > port->headroom_bytes && bytes > needed_bytes)
			needed_bytes = bytes;
	}
	if (needed_bytes)
		fprintf(out,
			"              TOO LITTLE: after XOFF up to %s may arrive; packets without "
			"free buffer are dropped\n",
			human_bytes(needed_bytes, text));
}

/* prints the least and the most headroom of a port, and the shared rest of the buffer */
static void switch_print(const struct plan *plan, const struct node_config *node, FILE *out)
{
	uint64_t least_bytes = UINT64_MAX, most_bytes = 0, all_bytes = plan_roce_headroom_sum(node);
	char text[4][HUMAN_TEXT_MAX];

	for (uint32_t p = 0; p < node->port_count; p++) {
		uint64_t bytes = node->ports[p].headroom_bytes;

		least_bytes = bytes < least_bytes ? bytes : least_bytes;
		most_bytes = bytes > most_bytes ? bytes : most_bytes;
	}
	if (!plan_roce_lossless(node))
		least_bytes = most_bytes = 0;
	human_bytes(least_bytes, text[0]);
	human_bytes(most_bytes, text[1]);
	fprintf(out, "  %-11s headroom %s%s%s a port and class, %s in all; %s to share\n",
		node->name, text[0], least_bytes == most_bytes ? "" : " to ",
		least_bytes == most_bytes ? "" : text[1], human_bytes(all_bytes, text[2]),
		human_bytes(node->roce.buffer_bytes - all_bytes, text[3]));
	shortage_print(plan, node, out);
}

/* the level at which an input of @node pauses its peer, if no other input has packets: the fixed
 * level, or the share alpha of the free buffer, q = alpha * (buffer - q), whichever is lower */
static uint64_t pause_bytes(const struct node_config *node, const struct roce_class_config *class)
{
	uint64_t shared_bytes = node->roce.buffer_bytes - plan_roce_headroom_sum(node), bytes;

	bytes = class->alpha_permille
			? shared_bytes * class->alpha_permille / (1000 + class->alpha_permille)
			: shared_bytes;
	return class->xoff_bytes && class->xoff_bytes < bytes ? class->xoff_bytes : bytes;
}

/* A hint for PFC before ECN: PFC pauses an input at a lower level than that at which the marking of
 * an output, fed by this input alone, has its maximum. Prints the first such switch and port of
 * class @index. */
static void marking_late_print(const struct plan *plan, uint32_t index, FILE *out)
{
	const struct roce_class_config *class = &plan->nodes[0].roce.classes[index];
	char paused[HUMAN_TEXT_MAX], kmin[HUMAN_TEXT_MAX], kmax[HUMAN_TEXT_MAX];

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct node_config *node = &plan->nodes[i];
		uint64_t pause = pause_bytes(node, class);

		for (uint32_t p = 0; p < node->port_count; p++) {
			uint64_t rate_bps = node->ports[p].rate_bps;
			uint64_t kmin_bytes = roce_level_bytes(class->kmin_bytes,
							       class->kmin_per_bps, rate_bps, 0);
			uint64_t kmax_bytes = roce_level_bytes(class->kmax_bytes,
							       class->kmax_per_bps, rate_bps, 0);

			if (kmax_bytes <= pause)
				continue;
			fprintf(out,
				"  hint        PFC acts before %s: class %s, %s to %s: an input is "
				"paused at %s, but a\n"
				"              queue is marked from %s (kmin) to %s (kmax)%s. "
				"Lower ecn.kmin and ecn.kmax\n"
				"              of the class, or raise its xoff or alpha, or "
				"switch.buffer\n",
				kmin_bytes > pause ? "ECN" : "the maximum of ECN",
				plan->nodes[0].classes[index].name, node->name,
				node->ports[p].peer_name, human_bytes(pause, paused),
				human_bytes(kmin_bytes, kmin), human_bytes(kmax_bytes, kmax),
				kmin_bytes > pause ? ": one input alone is never marked" : "");
			return;
		}
	}
}

void roce_print(const struct plan *plan, FILE *out)
{
	const struct roce_config *roce = &plan->nodes[0].roce;
	char text[2][HUMAN_TEXT_MAX];

	fprintf(out, "roce          buffers of %s, %s", human_bytes(roce->buffer_bytes, text[0]),
		!roce->pfc    ? "no PFC\n"
		: roce->pause ? "PAUSE"
			      : "PFC");
	if (roce->pfc)
		fprintf(out, "; an output counts as stuck after a pause of %s\n",
			human_time(roce->watchdog_ps, text[1]));
	for (uint32_t c = 0; c < plan->nodes[0].class_count; c++)
		class_print(&plan->nodes[0], c, out);
	mechanisms_print(roce, out);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		switch_print(plan, &plan->nodes[i], out);
	for (uint32_t c = 0; roce->pfc && c < plan->nodes[0].class_count; c++)
		if (roce->classes[c].lossless && roce->classes[c].ecn)
			marking_late_print(plan, c, out);
}

/* ---- for programs ---- */

static json_t *class_json(const struct node_config *node, uint32_t index)
{
	const struct roce_class_config *class = &node->roce.classes[index];

	return json_pack("{s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}",
			 "name", node->classes[index].name, "lossless", (int)class->lossless, "ecn",
			 (int)class->ecn, "kmin_bytes", (json_int_t) class->kmin_bytes,
			 "kmin_per_bps", (json_int_t) class->kmin_per_bps, "kmax_bytes",
			 (json_int_t) class->kmax_bytes, "kmax_per_bps",
			 (json_int_t) class->kmax_per_bps, "pmax_ppm", (json_int_t) class->pmax_ppm,
			 "queue_bytes_max", (json_int_t) class->queue_bytes_max, "alpha_permille",
			 (json_int_t) class->alpha_permille, "xoff_bytes",
			 (json_int_t) class->xoff_bytes, "xon_offset_bytes",
			 (json_int_t) class->xon_offset_bytes, "watched", (int)class->watched);
}

static json_t *switch_json(const struct node_config *node)
{
	json_t *ports = json_array();

	for (uint32_t p = 0; p < node->port_count; p++)
		json_array_append_new(ports, json_pack("{s:s, s:I}", "peer",
						       node->ports[p].peer_name, "headroom_bytes",
						       (json_int_t)node->ports[p].headroom_bytes));
	return json_pack("{s:s, s:I, s:I, s:o}", "name", node->name, "buffer_bytes",
			 (json_int_t)node->roce.buffer_bytes, "headroom_bytes",
			 (json_int_t)plan_roce_headroom_sum(node), "ports", ports);
}

json_t *roce_json(const struct plan *plan)
{
	const struct node_config *first = &plan->nodes[0];
	const struct roce_config *roce = &first->roce;
	json_t *classes = json_array(), *switches = json_array();

	for (uint32_t c = 0; c < first->class_count; c++)
		json_array_append_new(classes, class_json(first, c));
	for (uint32_t i = 0; i < plan->switch_count; i++)
		json_array_append_new(switches, switch_json(&plan->nodes[i]));
	return json_pack("{s:b, s:b, s:I, s:I, s:b, s:b, s:I, s:b, s:I, s:I, s:I, s:o, s:o}", "pfc",
			 (int)roce->pfc, "pause", (int)roce->pause, "cnp_class",
			 (json_int_t)roce->cnp_class, "watchdog_ps", (json_int_t)roce->watchdog_ps,
			 "dcqcn", roce->congestion == CONGESTION_DCQCN && roce->dcqcn.enabled,
			 "supplement", (int)roce->supplement, "increase_period_ps",
			 (json_int_t)roce->increase_period_ps, "path_pause", (int)roce->path_pause,
			 "path_high_bytes", (json_int_t)roce->path_high_bytes, "path_low_bytes",
			 (json_int_t)roce->path_low_bytes, "path_per_bps",
			 (json_int_t)roce->path_per_bps, "classes", classes, "switches", switches);
}

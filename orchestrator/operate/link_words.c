#include "orchestrator/operate/link_words.h"

#include <stdio.h>

#include "nodes/base/ensure.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/command/client.h"

void link_keys(const char *keys[LINK_KEYS_MAX], const char *more)
{
	size_t count = 0;

	for (size_t r = 0; r < link_parameters.count; r++)
		if (link_parameters.rows[r].live)
			keys[count++] = link_parameters.rows[r].key;
	if (more)
		keys[count++] = more;
	ENSURE(count, <, (size_t)LINK_KEYS_MAX);
	keys[count] = NULL;
}

int link_keys_put(const char *command, json_t *request, const char *more, int count, char **words)
{
	const char *keys[LINK_KEYS_MAX];
	int status = 0;

	link_keys(keys, more);
	for (int i = 0; i < count && !status; i++)
		status = client_key_put(command, request, keys, words[i]);
	return status;
}

/* a share in 10^-9 */
static const char *share(const json_t *direction, const char *key, char *text)
{
	return quantity_format(
		QUANTITY_SHARE,
		(uint64_t)member_number(direction, key) * (QUANTITY_SHARE_ONE / 1000000000), text);
}

/* the columns of one direction, and what it does to packets */
static void direction_print(const json_t *direction, int mtu_bytes)
{
	char rate[HUMAN_TEXT_MAX], delay[HUMAN_TEXT_MAX], jitter[HUMAN_TEXT_MAX],
		loss[QUANTITY_TEXT_MAX], errors[QUANTITY_TEXT_MAX], part[QUANTITY_TEXT_MAX],
		wait[HUMAN_TEXT_MAX];

	printf("%10s  %10s  %10s  %10s  %10s  %5d\n",
	       human_rate((uint64_t)member_number(direction, "rate_bps"), rate),
	       human_time((node_time_t)member_number(direction, "delay_ps"), delay),
	       human_time((node_time_t)member_number(direction, "jitter_ps"), jitter),
	       share(direction, "loss_ppb", loss),
	       quantity_format(QUANTITY_SHARE, (uint64_t)member_number(direction, "bit_error_e15"),
			       errors),
	       mtu_bytes);
	if (member_number(direction, "jitter_ps"))
		printf("      jitter-shape %s\n", member_text(direction, "jitter_shape"));
	if (member_number(direction, "reorder_ppb"))
		printf("      reorder %s, reorder-frames %d, reorder-wait %s\n",
		       share(direction, "reorder_ppb", part),
		       (int)member_number(direction, "reorder_frames"),
		       human_time((node_time_t)member_number(direction, "reorder_wait_ps"), wait));
	if (member_number(direction, "duplicate_ppb"))
		printf("      duplicate %s\n", share(direction, "duplicate_ppb", part));
	if (member_number(direction, "corrupt_ppb"))
		printf("      corrupt %s\n", share(direction, "corrupt_ppb", part));
}

static void link_print(const json_t *link)
{
	const json_t *back = json_object_get(link, "back");
	int mtu_bytes = (int)member_number(link, "mtu_bytes");
	char ends[2 * (NODE_NAME_MAX + 16)];

	snprintf(ends, sizeof(ends), "%s:%d - %s:%d", member_text(link, "node_a"),
		 (int)member_number(link, "port_a"), member_text(link, "node_b"),
		 (int)member_number(link, "port_b"));
	printf("%-4d  %-28s  %-8s  ", (int)member_number(link, "link"), ends,
	       member_text(link, "state"));
	direction_print(link, mtu_bytes);
	if (!back)
		return;
	snprintf(ends, sizeof(ends), "towards %s", member_text(link, "node_a"));
	printf("      %-28s  %-8s  ", ends, "");
	direction_print(back, mtu_bytes);
}

void link_words_print(const json_t *answer)
{
	const json_t *links = json_object_get(answer, "links"), *link;
	size_t i;

	printf("%-4s  %-28s  %-8s  %10s  %10s  %10s  %10s  %10s  %5s\n", "link",
	       "node:port - node:port", "state", "rate", "delay", "jitter", "loss", "bit errors",
	       "MTU");
	if (!links)
		link_print(answer);
	json_array_foreach (links, i, link)
		link_print(link);
}

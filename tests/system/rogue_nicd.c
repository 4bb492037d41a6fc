/*  rogue_nicd - a NIC that turns bad: host h0's, after 20 us, writes nonsense into the ring towards
 *  its switch (TB-23). What it writes is named by the environment variable ROGUE: see rogues[]. All
 *  other hosts behave. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nicd/dataplane/dataplane.h"
#include "nodes/base/ensure.h"
#include "nodes/base/random.h"
#include "nodes/process/node_main.h"

#define TURNS_BAD_PS (20 * NODE_US)

struct rogue {
	void *nic;
	struct link *link;
	bool bad;
	struct random random;
};

typedef void rogue_fn(struct rogue *rogue, node_time_t end);

/* in the ring, or nowhere if it has no reader any more */
static struct record *next_record(struct rogue *rogue, node_time_t at, uint32_t captured_bytes)
{
	static uint64_t nowhere[32];
	struct record *record = ring_reserve(&rogue->link->tx.ring, captured_bytes);

	if (!record)
		return (struct record *)nowhere;
	*record = (struct record){ .at_ps = at,
				   .wire_bytes = 128,
				   .captured_bytes = captured_bytes,
				   .sequence = rogue->link->tx.sequence++,
				   .kind = RECORD_PACKET };
	ring_commit(&rogue->link->tx.ring, captured_bytes);
	rogue->link->tx.first_sent_ps = at;
	return record;
}

static void bad_tail(struct rogue *rogue, node_time_t end)
{
	(void)end;
	atomic_store(&rogue->link->tx.ring.page->tail, UINT64_MAX - 63);
	rogue->link->tx.first_sent_ps = NODE_TIME_NEVER; /* the good one is not published over it */
}

static void bad_kind(struct rogue *rogue, node_time_t end)
{
	next_record(rogue, end + rogue->link->lead_ps, 64)->kind = 77;
}

static void bad_length(struct rogue *rogue, node_time_t end)
{
	next_record(rogue, end + rogue->link->lead_ps, 64)->captured_bytes = UINT32_MAX;
}

static void bad_time(struct rogue *rogue, node_time_t end)
{
	next_record(rogue, end + rogue->link->lead_ps, 64)->at_ps = 5;
}

/* sound records full of random bytes: frames, ACK frames, control words */
static void bad_frames(struct rogue *rogue, node_time_t end)
{
	for (int i = 0; i < 16; i++) {
		struct record *record = next_record(rogue, end + rogue->link->lead_ps, 120);

		record->kind = (uint16_t)(RECORD_PACKET + random_below(&rogue->random, 3));
		record->traffic_class = (uint16_t)random_below(&rogue->random, 3);
		record->word = random_next(&rogue->random) >> random_below(&rogue->random, 64);
		for (int b = 0; b < 120; b += 8) {
			uint64_t bits = random_next(&rogue->random);

			memcpy(record_captured(record) + b, &bits, sizeof(bits));
		}
	}
}

/* what a node has no business with (TB-24) */
static void bad_call(struct rogue *rogue, node_time_t end)
{
	(void)rogue, (void)end;
	if (open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0)
		_exit(0);
}

/* a mistake of its own, instead of nonsense for others: an invariant fails */
static void bad_count(struct rogue *rogue, node_time_t end)
{
	uint32_t came = 3, went = 4;

	(void)rogue, (void)end;
	ENSURE(went, <=, came);
}

static const struct {
	const char *name;
	rogue_fn *act;
} rogues[] = {
	{ "call", bad_call },     { "tail", bad_tail }, { "kind", bad_kind },
	{ "length", bad_length }, { "time", bad_time }, { "frames", bad_frames },
	{ "count", bad_count },
};

static void *rogue_create(const struct node_config *config, struct link *links,
			  struct stats_page *stats)
{
	struct rogue *rogue = calloc(1, sizeof(*rogue));

	if (!rogue)
		return NULL;
	rogue->nic = nicd_ops.create(config, links, stats);
	rogue->link = links;
	rogue->bad = !strcmp(config->name, "h0");
	random_init(&rogue->random, 1, 1);
	return rogue;
}

static node_time_t rogue_run(void *dataplane, node_time_t end)
{
	struct rogue *rogue = dataplane;
	node_time_t next = nicd_ops.run(rogue->nic, end);
	const char *name = getenv("ROGUE");

	for (size_t i = 0;
	     rogue->bad && name && end > TURNS_BAD_PS && i < sizeof(rogues) / sizeof(rogues[0]);
	     i++)
		if (!strcmp(rogues[i].name, name))
			rogues[i].act(rogue, end);
	return next;
}

static int rogue_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	return nicd_ops.show(((struct rogue *)dataplane)->nic, table, port, now, out);
}

static int rogue_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	return nicd_ops.set(((struct rogue *)dataplane)->nic, name, value, out);
}

static void rogue_destroy(void *dataplane)
{
	nicd_ops.destroy(((struct rogue *)dataplane)->nic);
	free(dataplane);
}

int main(int argc, char **argv)
{
	static const struct node_ops ops = { .create = rogue_create,
					     .run = rogue_run,
					     .show = rogue_show,
					     .set = rogue_set,
					     .destroy = rogue_destroy };

	return node_main(argc, argv, NODE_NIC,
			 (const struct node_ops *const[]){ &ops, &ops, &ops });
}

#include "orchestrator/operate/up_machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "nodes/base/version.h"
#include "orchestrator/base/sha256.h"
#include "orchestrator/command/client.h"

static bool is_same_place(const struct tunnel_address *a, const struct tunnel_address *b)
{
	return !strcmp(a->host, b->host) && !strcmp(a->port, b->port);
}

static int list_read(struct up_machines *up)
{
	char *list = strdup(up->list), *rest = list, *word;
	struct why why;
	struct machine_list *machines = &up->machines;
	int status = 0;

	while (list && !status && (word = strsep(&rest, ","))) {
		struct tunnel_address *address = &up->tunnel.machines[machines->count];

		if (machines->count == SCENARIO_MACHINES_MAX) {
			status = options_wrong("up", "--machines: there are at most %u",
					       SCENARIO_MACHINES_MAX);
			break;
		}
		if (!tunnel_address_read(word, address, &why)) {
			status = options_wrong("up", "--machines: %s", why.text);
			break;
		}
		for (uint32_t i = 0; i < machines->count; i++) {
			if (!strcmp(machines->names[i], address->name))
				status = options_wrong("up", "--machines names %s twice",
						       address->name);
			else if (is_same_place(&up->tunnel.machines[i], address))
				status = options_wrong("up",
						       "--machines: %s and %s have the same "
						       "address and port",
						       machines->names[i], address->name);
		}
		memcpy(machines->names[machines->count++], address->name, NODE_NAME_MAX);
	}
	free(list);
	if (!status && machines->count < 2)
		status = options_wrong("up", "--machines: expected two machines or more, such as "
					     "a=10.0.0.1,b=10.0.0.2");
	return status;
}

/* which of them is this one: --machine, else the name of this host */
static int self_find(struct up_machines *up)
{
	const char *name = up->self;
	struct utsname host;

	if (!name && !uname(&host))
		name = host.nodename;
	for (uint32_t i = 0; name && i < up->machines.count; i++)
		if (!strcmp(up->machines.names[i], name)) {
			up->machines.self = up->tunnel.self = i;
			return 0;
		}
	return options_wrong("up",
			     "which machine is this? --machine: expected one of --machines, not "
			     "'%s'%s",
			     name ? name : "", up->self ? "" : " (the name of this host)");
}

int up_machines_read(struct up_machines *up)
{
	struct why why;
	int status;

	if (!up->list && (up->self || up->key_file))
		return options_wrong("up", "--machine and --key need --machines");
	if (!up->list)
		return 0;
	status = list_read(up);
	if (!status)
		status = self_find(up);
	if (!status && !up->key_file)
		status = options_wrong("up",
				       "--machines needs --key FILE, the same key on all machines; "
				       "make one with 'openssl rand -hex 32 > FILE'");
	if (!status && tunnel_key_read(up->key_file, up->tunnel.key, &why))
		status = options_wrong("up", "--key: %s", why.text);
	up->tunnel.machine_count = up->machines.count;
	return status;
}

void up_machines_digest(struct up_machines *up, const struct plan *plan)
{
	char text[SHA256_TEXT_MAX];
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, HEDDLE_VERSION, sizeof(HEDDLE_VERSION));
	if (plan->origin) {
		sha256_text(&plan->origin->digest, text);
		sha256_add(&sha, text, sizeof(text));
		for (uint32_t i = 0; i < plan->origin->setting_count; i++)
			sha256_add(&sha, plan->origin->settings[i],
				   strlen(plan->origin->settings[i]) + 1);
	}
	for (uint32_t i = 0; i < up->machines.count; i++)
		sha256_add(&sha, up->machines.names[i], strlen(up->machines.names[i]) + 1);
	sha256_bytes(&sha, up->tunnel.digest);
}
_Static_assert(TUNNEL_DIGEST_BYTES == SHA256_DIGEST_SIZE, "a digest is a SHA-256");

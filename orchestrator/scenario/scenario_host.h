/*  scenario_host - what a scenario says of a host beside its link: addresses, routes, programs and
 *  the sandbox that they run in (DU-3, DU-7).
 *
 *  `heddle up` makes hosts of it (live_host.h); under the virtual clock it has no effect. The
 *  settings are made while a scenario is read, and do not change after a plan is made, but that
 *  `heddle up` completes those of hosts with an image before. They are shared with the plan by
 *  reference count: each holder releases them once.
 *  A host may have several interfaces, eth0, eth1 ...; each is a NIC, so a node of its own. The
 *  further ones are entries of the list of hosts after all hosts, called HOST.eth1 and so on: the
 *  numbers of hosts, and with them their default addresses, do not depend on them. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_HOST_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "orchestrator/base/diagnostics.h"
#include "orchestrator/base/ip_address.h"

#define HOST_INTERFACES_MAX 16u /* of a host, eth0 included */
#define HOST_ADDRESSES_MAX 64u  /* of an interface or a VLAN */
#define HOST_VLANS_MAX 64u      /* of an interface */
#define HOST_VLAN_ID_MAX 4094u
#define HOST_ROUTES_MAX 256u
#define HOST_COMMANDS_MAX 64u
#define HOST_VARIABLES_MAX 256u
#define HOST_RESOLVERS_MAX 3u /* what resolv.conf may have */
#define HOST_MOUNTS_MAX 64u
#define HOST_FOLDERS_MAX 64u

struct host_address {
	struct ip_address ip;
	struct scenario_place place; /* line 0: a default address */
};

/* VLAN @id of an interface, the device eth0.10 */
struct host_vlan {
	uint32_t id; /* 1..HOST_VLAN_ID_MAX */
	uint32_t address_count;
	struct host_address *addresses;
	struct scenario_place place;
};

struct host_interface {
	uint32_t address_count; /* eth0 without addresses has the default ones: address.h */
	struct host_address *addresses;
	uint32_t vlan_count;
	struct host_vlan *vlans;
};

/* a route, or (`to` of 0 bits) a gateway; filled in two steps: when it is read, and when all hosts
 * are known */
struct host_route {
	struct ip_address to; /* version 0: a gateway, before the second step */
	char *via_text;       /* the name of a host, or an address */
	struct scenario_place place;
	/* from here: the second step */
	struct ip_address via;
	uint32_t interface; /* whose subnet has `via` in it */
	uint32_t vlan;      /* its VLAN; 0: none */
};

/* a program with its arguments; a text of the scenario is a line for the shell */
struct host_command {
	char **argv; /* ends with NULL */
	char *text;  /* as people read it */
};

struct host_mount {
	char *from; /* exists; absolute */
	char *to;   /* absolute, in the host */
	bool read_only;
	struct scenario_place place;
};

/* 0: no limit */
struct host_limits {
	uint64_t memory_bytes;
	uint32_t processes, files;
};

struct host_health {
	struct host_command run; /* argv NULL: the host has no check */
	node_time_t every_ps, within_ps;
};

struct scenario_host_settings {
	uint32_t holders;
	/* keys that are given, as bits: scenario_host_key_name(); own: in the host's own entry */
	uint32_t given, own;
	uint32_t interface_count; /* at least 1: eth0 */
	struct host_interface *interfaces;
	char *gateway; /* as the scenario has it, NULL: none; the routes have what follows */
	struct scenario_place gateway_place;
	uint32_t route_count;
	struct host_route *routes;
	bool router;
	uint32_t command_count;
	struct host_command *commands; /* `run` */
	char *user;                    /* of the commands; NULL: root of the host */
	/* `user` is what an image says: host_user_of_image() */
	bool user_of_image;
	/* where the commands begin; NULL: in the folder of the scenario. With an image only */
	char *work_folder;
	uint32_t variable_count;
	char **variables; /* "KEY=value", each key once */
	uint32_t resolver_count;
	struct ip_address *resolvers; /* `dns` */
	uint32_t mount_count;
	struct host_mount *mounts;
	char *rootfs; /* a folder, absolute; NULL: the machine's files */
	/* NULL: none. At most one of rootfs and image is given; `heddle up` unpacks the image, and
	 * sets rootfs: up_images.h */
	char *image;
	struct scenario_place rootfs_place, image_place;
	uint32_t folder_count;
	char **folders; /* `private`; absolute */
	bool outside;
	struct scenario_place outside_place;
	struct host_limits limits;
	struct host_health health;
};

/** scenario_host_settings_new() - of a host for which nothing is given, with one holder: eth0
 *  without addresses.  Return: NULL if memory is short. */
struct scenario_host_settings *scenario_host_settings_new(void);

/** scenario_host_settings_hold() - adds a holder.  Return: @settings, which may be NULL. */
struct scenario_host_settings *scenario_host_settings_hold(struct scenario_host_settings *settings);

/** scenario_host_settings_release() - removes a holder; the last one frees @settings. NULL is
 *  fine. */
void scenario_host_settings_release(struct scenario_host_settings *settings);

/** scenario_host_address_default() - gives eth0 of @settings the addresses that host @host_index
 *  has by default (nodes/wire/address.h), unless it has some.  Return: 0 or -ENOMEM. */
int scenario_host_address_default(struct scenario_host_settings *settings, uint32_t host_index);

/** scenario_host_address_is_default() - was @address given by scenario_host_address_default()?
 *  Pure. */
static inline bool scenario_host_address_is_default(const struct host_address *address)
{
	return !address->place.line && !address->place.setting;
}

/* frees what a part of the settings points to; the part is empty then */
void scenario_host_command_clear(struct host_command *command);
void scenario_host_texts_clear(uint32_t *count, char ***texts);

#endif

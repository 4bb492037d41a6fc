#include "orchestrator/scenario/scenario_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/address.h"

#define DEFAULT_BITS_IPV4 8u /* address.h */
#define DEFAULT_BITS_IPV6 64u

struct scenario_host_settings *scenario_host_settings_new(void)
{
	struct scenario_host_settings *settings = calloc(1, sizeof(*settings));

	if (!settings)
		return NULL;
	settings->holders = 1;
	settings->interface_count = 1;
	settings->interfaces = calloc(HOST_INTERFACES_MAX, sizeof(*settings->interfaces));
	if (settings->interfaces)
		return settings;
	free(settings);
	return NULL;
}

struct scenario_host_settings *scenario_host_settings_hold(struct scenario_host_settings *settings)
{
	if (settings)
		settings->holders++;
	return settings;
}

void scenario_host_command_clear(struct host_command *command)
{
	for (char **word = command->argv; word && *word; word++)
		free(*word);
	free(command->argv);
	free(command->text);
	*command = (struct host_command){ 0 };
}

void scenario_host_texts_clear(uint32_t *count, char ***texts)
{
	for (uint32_t i = 0; i < *count; i++)
		free((*texts)[i]);
	free(*texts);
	*count = 0;
	*texts = NULL;
}

static void interface_free(struct host_interface *interface)
{
	for (uint32_t i = 0; i < interface->vlan_count; i++)
		free(interface->vlans[i].addresses);
	free(interface->vlans);
	free(interface->addresses);
}

void scenario_host_settings_release(struct scenario_host_settings *settings)
{
	if (!settings || --settings->holders)
		return;
	for (uint32_t i = 0; i < settings->interface_count; i++)
		interface_free(&settings->interfaces[i]);
	for (uint32_t i = 0; i < settings->route_count; i++)
		free(settings->routes[i].via_text);
	for (uint32_t i = 0; i < settings->command_count; i++)
		scenario_host_command_clear(&settings->commands[i]);
	for (uint32_t i = 0; i < settings->mount_count; i++) {
		free(settings->mounts[i].from);
		free(settings->mounts[i].to);
	}
	scenario_host_command_clear(&settings->health.run);
	scenario_host_texts_clear(&settings->variable_count, &settings->variables);
	scenario_host_texts_clear(&settings->folder_count, &settings->folders);
	free(settings->interfaces);
	free(settings->gateway);
	free(settings->routes);
	free(settings->commands);
	free(settings->user);
	free(settings->work_folder);
	free(settings->resolvers);
	free(settings->mounts);
	free(settings->rootfs);
	free(settings->image);
	free(settings);
}

int scenario_host_address_default(struct scenario_host_settings *settings, uint32_t host_index)
{
	struct host_interface *eth0 = &settings->interfaces[0];
	uint32_t ipv4 = htonl(address_ipv4(host_index));

	if (eth0->address_count)
		return 0;
	eth0->addresses = calloc(2, sizeof(*eth0->addresses));
	if (!eth0->addresses)
		return -ENOMEM;
	eth0->address_count = 2;
	eth0->addresses[0].ip = (struct ip_address){ .version = 4, .bits = DEFAULT_BITS_IPV4 };
	memcpy(eth0->addresses[0].ip.bytes, &ipv4, sizeof(ipv4));
	eth0->addresses[1].ip = (struct ip_address){ .version = 6, .bits = DEFAULT_BITS_IPV6 };
	address_ipv6(host_index, eth0->addresses[1].ip.bytes);
	return 0;
}

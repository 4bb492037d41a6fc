/*  ip_address - an IP address with the length of its subnet, as people write it: "10.1.0.5/24",
 *  "fd01::5/64". */
#ifndef HEDDLE_ORCHESTRATOR_BASE_IP_ADDRESS_H
#define HEDDLE_ORCHESTRATOR_BASE_IP_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define IP_ADDRESS_TEXT_MAX (INET6_ADDRSTRLEN + 4) /* with "/128" */

struct ip_address {
	uint8_t version;   /* 4 or 6 */
	uint8_t bits;      /* of the prefix that is its subnet: 0..32 or 0..128 */
	uint8_t bytes[16]; /* network order; IPv4 in the first four, then 0 */
};

/** ip_address_parse() - all of @text; without a length it is a single address, with all bits.
 *  Return: false if it is none. */
bool ip_address_parse(const char *text, struct ip_address *address);

/** ip_address_text(), ip_address_subnet_text() - without and with its length. Return: @text. */
const char *ip_address_text(const struct ip_address *address, char text[IP_ADDRESS_TEXT_MAX]);
const char *ip_address_subnet_text(const struct ip_address *address,
				   char text[IP_ADDRESS_TEXT_MAX]);

/** ip_address_family() - AF_INET or AF_INET6. Pure. */
int ip_address_family(const struct ip_address *address);

/** ip_address_same() - the same address, whatever the lengths? Pure. */
bool ip_address_same(const struct ip_address *a, const struct ip_address *b);

/** ip_address_covers() - does @other lie in the subnet of @address? Pure. */
bool ip_address_covers(const struct ip_address *address, const struct ip_address *other);

/** ip_address_subnet() - the first address of the subnet, with the same length. Pure. */
struct ip_address ip_address_subnet(const struct ip_address *address);

/** ip_address_is_end() - is it the first or last address of an IPv4 subnet of 30 bits or less,
 *  which no host may have? Pure. */
bool ip_address_is_end(const struct ip_address *address);

#endif

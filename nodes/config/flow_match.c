#include "nodes/config/flow_match.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "nodes/base/array.h"
#include "nodes/base/bytes.h"

#define WORD_MAX 96u
#define IPV6_BITS 128u

static const struct {
	enum match_field field;
	uint32_t bits;
} parts[FLOW_PARTS] = {
	[PART_SOURCE_MAC] = { MATCH_SOURCE_MAC, 48 },
	[PART_DESTINATION_MAC] = { MATCH_DESTINATION_MAC, 48 },
	[PART_VLAN] = { MATCH_VLAN, 12 },
	[PART_SOURCE_IPV4] = { MATCH_IP_PAIR, 32 },
	[PART_DESTINATION_IPV4] = { MATCH_IP_PAIR, 32 },
	[PART_SOURCE_IPV6_HIGH] = { MATCH_IP_PAIR, 64 },
	[PART_SOURCE_IPV6_LOW] = { MATCH_IP_PAIR, 64 },
	[PART_DESTINATION_IPV6_HIGH] = { MATCH_IP_PAIR, 64 },
	[PART_DESTINATION_IPV6_LOW] = { MATCH_IP_PAIR, 64 },
	[PART_IP_PROTOCOL] = { MATCH_PORTS, 8 },
	[PART_SOURCE_PORT] = { MATCH_PORTS, 16 },
	[PART_DESTINATION_PORT] = { MATCH_PORTS, 16 },
	[PART_FLOW_LABEL] = { MATCH_FLOW_LABEL, 20 },
	[PART_HPC_SOURCE] = { MATCH_HPC, 32 },
	[PART_HPC_DESTINATION] = { MATCH_HPC, 32 },
	[PART_HPC_PROCESS] = { MATCH_HPC, 32 },
	[PART_QUEUE_PAIR] = { MATCH_HPC, 24 },
};

#define PART(part) (1u << PART_##part)
#define SOURCE_IPV6 (PART(SOURCE_IPV6_HIGH) | PART(SOURCE_IPV6_LOW))
#define DESTINATION_IPV6 (PART(DESTINATION_IPV6_HIGH) | PART(DESTINATION_IPV6_LOW))
#define SOURCE_IP (PART(SOURCE_IPV4) | SOURCE_IPV6)
#define DESTINATION_IP (PART(DESTINATION_IPV4) | DESTINATION_IPV6)

/* how masks of a word are written */
enum notation { GROUP, NUMBER, MAC, IPV4, IPV6, IP };

/* Words in the order in which they are printed: what says more at once comes first. */
static const struct {
	uint32_t parts; /* set of 1 << enum flow_part */
	enum notation notation;
	const char *alone; /* GROUP, IP: the words that a mask can be given to */
} words[] = {
	{ PART(SOURCE_MAC), MAC, NULL },
	{ PART(DESTINATION_MAC), MAC, NULL },
	{ PART(VLAN), NUMBER, NULL },
	{ SOURCE_IP | DESTINATION_IP, GROUP, "source-ip and destination-ip" },
	{ SOURCE_IP, IP, "source-ipv4 or source-ipv6" },
	{ PART(SOURCE_IPV4), IPV4, NULL },
	{ SOURCE_IPV6, IPV6, NULL },
	{ DESTINATION_IP, IP, "destination-ipv4 or destination-ipv6" },
	{ PART(DESTINATION_IPV4), IPV4, NULL },
	{ DESTINATION_IPV6, IPV6, NULL },
	{ PART(IP_PROTOCOL) | PART(SOURCE_PORT) | PART(DESTINATION_PORT), GROUP,
	  "ip-protocol, source-port and destination-port" },
	{ PART(IP_PROTOCOL), NUMBER, NULL },
	{ PART(SOURCE_PORT), NUMBER, NULL },
	{ PART(DESTINATION_PORT), NUMBER, NULL },
	{ PART(FLOW_LABEL), NUMBER, NULL },
	{ PART(HPC_SOURCE) | PART(HPC_DESTINATION) | PART(HPC_PROCESS) | PART(QUEUE_PAIR), GROUP,
	  "hpc-source, hpc-destination, hpc-process and queue-pair" },
	{ PART(HPC_SOURCE), NUMBER, NULL },
	{ PART(HPC_DESTINATION), NUMBER, NULL },
	{ PART(HPC_PROCESS), NUMBER, NULL },
	{ PART(QUEUE_PAIR), NUMBER, NULL },
};

#define WORDS COUNT_OF(words)

const char *const flow_match_words[] = {
	"source-mac",       "destination-mac",  "vlan",        "ip-pair",
	"source-ip",        "source-ipv4",      "source-ipv6", "destination-ip",
	"destination-ipv4", "destination-ipv6", "ports",       "ip-protocol",
	"source-port",      "destination-port", "flow-label",  "hpc",
	"hpc-source",       "hpc-destination",  "hpc-process", "queue-pair",
};
const size_t flow_match_word_count = WORDS;

_Static_assert(COUNT_OF(flow_match_words) == WORDS, "a name for each word");

static uint64_t ones(uint32_t bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

/* of a field of @bits bits, the first @prefix */
static uint64_t leading(uint32_t bits, uint32_t prefix)
{
	return prefix >= bits ? ones(bits) : ones(bits) & ~ones(bits - prefix);
}

/* ---- sets ---- */

struct flow_match flow_match_whole(uint32_t fields)
{
	return (struct flow_match){ .fields = fields };
}

bool flow_match_masked(const struct flow_match *match)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < FLOW_PARTS; i++)
		any |= match->mask[i];
	return any;
}

uint64_t flow_match_part(const struct flow_match *match, enum flow_part part)
{
	if (flow_match_masked(match))
		return match->mask[part];
	return match->fields & parts[part].field ? ones(parts[part].bits) : 0;
}

/* the mask of @fields as a whole */
static bool is_whole(const struct flow_match *match)
{
	for (unsigned i = 0; i < FLOW_PARTS; i++)
		if (match->mask[i] != (match->fields & parts[i].field ? ones(parts[i].bits) : 0))
			return false;
	return true;
}

bool flow_match_valid(const struct flow_match *match)
{
	uint32_t fields = 0;

	if (match->spare || match->fields & ~(uint32_t)MATCH_ALL)
		return false;
	for (unsigned i = 0; i < FLOW_PARTS; i++) {
		if (match->mask[i] & ~ones(parts[i].bits))
			return false;
		fields |= match->mask[i] ? (uint32_t)parts[i].field : 0;
	}
	return !fields || (fields == match->fields && !is_whole(match));
}

void flow_match_begin(struct flow_match *match)
{
	*match = (struct flow_match){ 0 };
}

/* while words are added, the mask has every bit that counts */
void flow_match_end(struct flow_match *match)
{
	if (is_whole(match))
		memset(match->mask, 0, sizeof(match->mask));
}

/* ---- words ---- */

size_t flow_match_name_bytes(const char *word)
{
	return strcspn(word, "/&");
}

static int word_find(const char *word)
{
	size_t length = flow_match_name_bytes(word);

	for (size_t i = 0; i < WORDS; i++)
		if (strlen(flow_match_words[i]) == length &&
		    !strncmp(flow_match_words[i], word, length))
			return (int)i;
	return -1;
}

/* the only part of a word that has one; the first of an IPv6 address */
static unsigned part_first(size_t word)
{
	return (unsigned)__builtin_ctz(words[word].parts);
}

/* Bits of a word that is masked as one field. */
static uint32_t word_bits(size_t word)
{
	return words[word].notation == IP || words[word].notation == IPV6
		       ? IPV6_BITS
		       : parts[part_first(word)].bits;
}

static int complain(struct why *why, const char *what, const char *word, const char *rest)
{
	return why_say(why, -EINVAL, "'%.60s' %s%s", word, what, rest);
}

static bool is_decimal(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* the first @prefix bits of a word's parts: of an IPv4 address at most all 32 */
static void prefix_take(size_t word, uint32_t prefix, uint64_t mask[FLOW_PARTS])
{
	for (unsigned i = 0; i < FLOW_PARTS; i++) {
		bool low = i == PART_SOURCE_IPV6_LOW || i == PART_DESTINATION_IPV6_LOW;

		if (!(words[word].parts >> i & 1))
			continue;
		mask[i] = leading(parts[i].bits, low ? (prefix > 64 ? prefix - 64 : 0) : prefix);
	}
}

static bool mac_take(const char *text, uint64_t *mask)
{
	unsigned byte[6];
	int used = 0;

	if (strlen(text) != 17 ||
	    sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2], &byte[3],
		   &byte[4], &byte[5], &used) != 6 ||
	    used != 17)
		return false;
	*mask = 0;
	for (unsigned i = 0; i < 6; i++)
		*mask = *mask << 8 | byte[i];
	return true;
}

static bool hex_take(const char *text, uint32_t bits, uint64_t *mask)
{
	size_t length = strlen(text);

	if (length < 3 || length > 18 || text[0] != '0' || text[1] != 'x' ||
	    strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
		return false;
	*mask = strtoull(text, NULL, 16);
	return !(*mask & ~ones(bits));
}

static bool mask_take(size_t word, const char *text, uint64_t mask[FLOW_PARTS])
{
	unsigned part = part_first(word);
	uint8_t address[16];

	switch (words[word].notation) {
	case MAC:
		return mac_take(text, &mask[part]) || hex_take(text, parts[part].bits, &mask[part]);
	case IPV4:
		if (inet_pton(AF_INET, text, address) != 1)
			return hex_take(text, parts[part].bits, &mask[part]);
		mask[part] = bytes_get32(address);
		return true;
	case IPV6:
		if (inet_pton(AF_INET6, text, address) != 1)
			return false;
		mask[part] = (uint64_t)bytes_get32(address) << 32 | bytes_get32(address + 4);
		mask[part + 1] =
			(uint64_t)bytes_get32(address + 8) << 32 | bytes_get32(address + 12);
		return true;
	default:
		return hex_take(text, parts[part].bits, &mask[part]);
	}
}

static const char *mask_example(enum notation notation)
{
	static const char *const examples[] = { [NUMBER] = "0xff00",
						[MAC] = "ff:ff:ff:00:00:00",
						[IPV4] = "255.255.255.0",
						[IPV6] = "ffff:ffff::" };

	return examples[notation];
}

static int prefix_add(size_t word, const char *text, const char *number, uint64_t mask[FLOW_PARTS],
		      struct why *why)
{
	unsigned long prefix = strlen(number) <= 3 ? strtoul(number, NULL, 10) : 0;
	char rest[80];

	if (prefix < 1 || prefix > word_bits(word)) {
		snprintf(rest, sizeof(rest),
			 "expected /1 to /%u, the first bits of the field; without any, all count",
			 word_bits(word));
		return complain(why, "has no prefix of such a length: ", text, rest);
	}
	prefix_take(word, (uint32_t)prefix, mask);
	return 0;
}

/* what follows the name of @word in @text, "/24" or "&0xff00" */
static int limit_add(size_t word, const char *text, uint64_t mask[FLOW_PARTS], struct why *why)
{
	const char *limit = text + flow_match_name_bytes(text) + 1;
	uint64_t any = 0;
	char rest[120];

	if (words[word].notation == GROUP)
		return complain(why, "is several fields, which have a mask each: name ",
				flow_match_words[word], words[word].alone);
	if (limit[-1] == '/' && is_decimal(limit))
		return prefix_add(word, text, limit, mask, why);
	if (words[word].notation == IP)
		return complain(why, "takes a prefix such as /24; for a mask name ",
				flow_match_words[word], words[word].alone);
	if (!mask_take(word, limit, mask)) {
		snprintf(rest, sizeof(rest), "expected %s%s such as %s%s, of %u bits",
			 limit[-1] == '/' ? "a prefix such as /8 or " : "", "a mask",
			 mask_example(words[word].notation),
			 words[word].notation == MAC || words[word].notation == IPV4
				 ? ", or 0x... in hexadecimal"
				 : "",
			 word_bits(word));
		return complain(why, "has no mask: ", text, rest);
	}
	for (unsigned i = 0; i < FLOW_PARTS; i++)
		any |= mask[i];
	return any ? 0 : complain(why, "lets no bit count: leave the field out", text, "");
}

int flow_match_add(struct flow_match *match, const char *word, struct why *why)
{
	uint64_t mask[FLOW_PARTS] = { 0 };
	int index = word_find(word), error = 0;

	if (index < 0)
		return complain(why, "is no field of a frame", word, "");
	if (word[flow_match_name_bytes(word)])
		error = limit_add((size_t)index, word, mask, why);
	else
		prefix_take((size_t)index, IPV6_BITS, mask);
	if (error)
		return error;
	for (unsigned i = 0; i < FLOW_PARTS; i++)
		if (words[index].parts >> i & 1 && match->mask[i])
			return complain(why,
					"is named twice, alone or in a word for several fields",
					flow_match_words[index], "");
	for (unsigned i = 0; i < FLOW_PARTS; i++) {
		match->mask[i] |= mask[i];
		match->fields |= mask[i] ? (uint32_t)parts[i].field : 0;
	}
	return 0;
}

int flow_match_parse(const char *text, struct flow_match *match, struct why *why)
{
	char word[WORD_MAX];

	flow_match_begin(match);
	if (is_decimal(text)) {
		unsigned long fields = strlen(text) <= 3 ? strtoul(text, NULL, 10) : MATCH_ALL + 1;

		if (fields > MATCH_ALL)
			return complain(
				why,
				"is no sum of the numbers of fields, which are 1, 2, 4, ... 64",
				text, "");
		*match = flow_match_whole((uint32_t)fields);
		return 0;
	}
	text += strspn(text, ", ");
	if (!strcmp(text, "none"))
		return 0;
	if (!*text)
		return complain(why, "names no field; 'none' is for none", text, "");
	for (; *text; text += strspn(text, ", ")) {
		size_t length = strcspn(text, ", ");

		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (length >= sizeof(word))
			return complain(why, "is no field of a frame", word, "");
		if (flow_match_add(match, word, why))
			return -EINVAL;
		text += length;
	}
	flow_match_end(match);
	return 0;
}

/* ---- as text ---- */

/* the prefix that a mask of @bits bits is; 0: it is none */
static uint32_t prefix_of(uint64_t mask, uint32_t bits)
{
	for (uint32_t prefix = 1; prefix <= bits; prefix++)
		if (mask == leading(bits, prefix))
			return prefix;
	return 0;
}

/* the prefix that all parts of @word, which have bits, are under; 0: there is none */
static uint32_t word_prefix(size_t word, const uint64_t mask[FLOW_PARTS])
{
	unsigned part = part_first(word);
	uint64_t under[FLOW_PARTS] = { 0 };
	uint32_t prefix;

	if (words[word].notation == IP || words[word].notation == IPV6) {
		unsigned high = words[word].parts & PART(SOURCE_IPV6_HIGH)
					? PART_SOURCE_IPV6_HIGH
					: PART_DESTINATION_IPV6_HIGH;

		prefix = mask[high + 1] ? 64 + prefix_of(mask[high + 1], 64)
					: prefix_of(mask[high], 64);
	} else {
		prefix = prefix_of(mask[part], parts[part].bits);
	}
	prefix_take(word, prefix, under);
	for (unsigned i = 0; i < FLOW_PARTS; i++)
		if (words[word].parts >> i & 1 && under[i] != mask[i])
			return 0;
	return prefix;
}

static void mask_print(size_t word, const uint64_t mask[FLOW_PARTS], FILE *out)
{
	unsigned part = part_first(word);
	char text[INET6_ADDRSTRLEN];
	uint8_t address[16];

	for (unsigned i = 0; i < 8; i++) {
		address[i] = (uint8_t)(mask[part] >> (56 - 8 * i));
		address[8 + i] = words[word].notation == IPV6
					 ? (uint8_t)(mask[part + 1] >> (56 - 8 * i))
					 : 0;
	}
	if (words[word].notation == IPV6 && inet_ntop(AF_INET6, address, text, sizeof(text)))
		fprintf(out, "/%s", text);
	else if (words[word].notation == IPV4 &&
		 inet_ntop(AF_INET, address + 4, text, sizeof(text)))
		fprintf(out, "/%s", text);
	else if (words[word].notation == MAC)
		fprintf(out, "/%02x:%02x:%02x:%02x:%02x:%02x", address[2], address[3], address[4],
			address[5], address[6], address[7]);
	else
		fprintf(out, "/0x%" PRIx64, mask[part]);
}

/* can @word alone say what counts of its parts? */
static bool word_says(size_t word, const uint64_t mask[FLOW_PARTS], uint32_t *prefix)
{
	bool whole = true;

	for (unsigned i = 0; i < FLOW_PARTS; i++) {
		if (!(words[word].parts >> i & 1))
			continue;
		whole &= mask[i] == ones(parts[i].bits);
	}
	*prefix = whole ? IPV6_BITS + 1 : 0;
	if (whole || words[word].notation == GROUP)
		return whole;
	*prefix = word_prefix(word, mask);
	return *prefix || words[word].notation != IP;
}

void flow_match_print(const struct flow_match *match, FILE *out)
{
	uint64_t mask[FLOW_PARTS];
	const char *comma = "";

	for (unsigned i = 0; i < FLOW_PARTS; i++)
		mask[i] = flow_match_part(match, (enum flow_part)i);
	for (size_t word = 0; word < WORDS; word++) {
		uint32_t prefix;
		bool any = false;

		for (unsigned i = 0; i < FLOW_PARTS; i++)
			any |= words[word].parts >> i & 1 && mask[i];
		if (!any || !word_says(word, mask, &prefix))
			continue;
		fprintf(out, "%s%s", comma, flow_match_words[word]);
		if (!prefix)
			mask_print(word, mask, out);
		else if (prefix <= IPV6_BITS)
			fprintf(out, "/%" PRIu32, prefix);
		comma = ", ";
		for (unsigned i = 0; i < FLOW_PARTS; i++)
			if (words[word].parts >> i & 1)
				mask[i] = 0;
	}
	if (!*comma)
		fputs("none", out);
}

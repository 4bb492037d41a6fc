#include "orchestrator/view/http_check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"

#define HTTP_PORT_DEFAULT 80u /* browsers leave it out */

/* ---- Host and Origin ---- */

/* is @name, of an URL, an IP literal? IPv6 in brackets; its address is in @address then */
static bool ip_literal(const char *name, unsigned char address[16], int *family)
{
	char text[HTTP_HOST_MAX];
	size_t length = strlen(name);

	if (name[0] != '[') {
		*family = AF_INET;
		return inet_pton(AF_INET, name, address) == 1;
	}
	if (length < 3 || length >= sizeof(text) || name[length - 1] != ']')
		return false;
	memcpy(text, name + 1, length - 2);
	text[length - 2] = 0;
	*family = AF_INET6;
	return inet_pton(AF_INET6, text, address) == 1;
}

static bool same_address(const char *name, const char *listen)
{
	unsigned char one[16] = { 0 }, other[16] = { 0 };
	bool any = !strcmp(listen, "0.0.0.0") || !strcmp(listen, "::");
	int family;

	if (!ip_literal(name, one, &family))
		return false;
	return any || (inet_pton(family, listen, other) == 1 && !memcmp(one, other, sizeof(one)));
}

bool http_host_allowed(const char *host, const char *listen, unsigned port)
{
	static const char *const loopback[] = { "127.0.0.1", "localhost", "[::1]" };
	char name[HTTP_HOST_MAX], own_port[16];
	const char *colon = host ? strrchr(host, ':') : NULL;
	size_t length;

	if (!host)
		return false;
	if (colon && strchr(colon, ']')) /* within an IPv6 address */
		colon = NULL;
	length = colon ? (size_t)(colon - host) : strlen(host);
	snprintf(own_port, sizeof(own_port), "%u", port);
	if (!length || length >= sizeof(name) ||
	    (colon ? strcmp(colon + 1, own_port) != 0 : port != HTTP_PORT_DEFAULT))
		return false;
	memcpy(name, host, length);
	name[length] = 0;
	for (size_t i = 0; i < COUNT_OF(loopback); i++)
		if (!strcmp(name, loopback[i]))
			return true;
	return same_address(name, listen);
}

bool http_origin_allowed(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return !origin || (host && !strncmp(origin, scheme, sizeof(scheme) - 1) &&
			   !strcmp(origin + sizeof(scheme) - 1, host));
}

/* ---- token ---- */

bool http_token_given(const char *authorization, const char token[HTTP_TOKEN_DIGITS + 1])
{
	static const char scheme[] = "Bearer ";
	unsigned char given[HTTP_TOKEN_DIGITS] = { 0 };
	volatile unsigned char differs = 0;
	size_t length;

	if (!authorization || strncmp(authorization, scheme, sizeof(scheme) - 1) != 0)
		return false;
	authorization += sizeof(scheme) - 1;
	length = strlen(authorization);
	memcpy(given, authorization, length < sizeof(given) ? length : sizeof(given));
	for (size_t i = 0; i < sizeof(given); i++)
		differs |= given[i] ^ (unsigned char)token[i];
	return !differs && length == sizeof(given);
}

/* ---- ranges and paths ---- */

/* the number at *@text, which moves after it; false if there is none, or it is too large */
static bool number_take(const char **text, uint64_t max, uint64_t *number)
{
	const char *at = *text;

	for (*number = 0; *at >= '0' && *at <= '9'; at++) {
		if (*number > (max - (uint64_t)(*at - '0')) / 10)
			return false;
		*number = *number * 10 + (uint64_t)(*at - '0');
	}
	if (at == *text)
		return false;
	*text = at;
	return true;
}

int http_range(const char *range, uint64_t size, uint64_t *from, uint64_t *length)
{
	static const char unit[] = "bytes=";
	uint64_t to = UINT64_MAX / 2;

	if (strncmp(range, unit, sizeof(unit) - 1) != 0)
		return -EINVAL;
	range += sizeof(unit) - 1;
	if (!number_take(&range, UINT64_MAX / 2, from) || *range++ != '-')
		return -EINVAL;
	if (*range && (!number_take(&range, UINT64_MAX / 2, &to) || *range || to < *from))
		return -EINVAL;
	if (*from > size)
		return -ERANGE;
	*length = to < size ? to - *from + 1 : size - *from;
	return 0;
}

enum http_target http_target(const char *path, unsigned *id)
{
	static const struct {
		const char *path;
		enum http_target target;
	} fixed[] = {
		{ "/", HTTP_TARGET_PAGE },     { "/recordings", HTTP_TARGET_RECORDINGS },
		{ "/fork", HTTP_TARGET_FORK }, { "/metrics", HTTP_TARGET_METRICS },
		{ "/lab", HTTP_TARGET_LAB },   { "/lab/predictions", HTTP_TARGET_PREDICTIONS }
	};
	static const char recording[] = "/recordings/";
	uint64_t number;

	for (size_t i = 0; i < COUNT_OF(fixed); i++)
		if (!strcmp(path, fixed[i].path))
			return fixed[i].target;
	if (strncmp(path, recording, sizeof(recording) - 1) != 0)
		return HTTP_TARGET_NONE;
	path += sizeof(recording) - 1;
	if (!number_take(&path, UINT32_MAX, &number) || *path)
		return HTTP_TARGET_NONE;
	*id = (unsigned)number;
	return HTTP_TARGET_RECORDING;
}

/* ---- JSON ---- */

bool http_json_flat(const char *text, size_t length, unsigned most)
{
	bool quoted = false;
	unsigned depth = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"')
			quoted = !quoted;
		else if (quoted && text[i] == '\\')
			i++;
		else if (quoted)
			continue;
		else if ((text[i] == '[' || text[i] == '{') && ++depth > most)
			return false;
		else if ((text[i] == ']' || text[i] == '}') && depth)
			depth--;
	}
	return true;
}

#include "orchestrator/hosts/host_dilation.h"

#include <stdio.h>
#include <string.h>

/* Linux: TCP_RTO_MIN, and the most that a retransmission may wait (TCP_RTO_MAX) */
#define RTO_MIN_US 200000u
#define RTO_MAX_US 120000000u
/* least, default and most bytes of a socket's buffer: the most is what 200 Gb/s have in flight in
 * 5 ms (ours); the kernel lets a buffer grow as a connection needs it */
#define BUFFERS "4096 131072 134217728"

static bool is_listed(const char *library, const char *list)
{
	size_t length = strlen(library);

	for (const char *at = list; (at = strstr(at, library)); at += length)
		if ((at == list || strchr(": ", at[-1])) && strchr(": ", at[length]))
			return true;
	return false;
}

char *host_dilation_preload(const char *library, const char *before)
{
	char *text = NULL;

	if (!before || !*before)
		return strdup(library);
	if (is_listed(library, before))
		return strdup(before);
	return asprintf(&text, "%s:%s", library, before) < 0 ? NULL : text;
}

void host_dilation_sysctls(const struct fabric_namespaces *namespaces, uint32_t dilation)
{
	uint64_t rto_us = (uint64_t)RTO_MIN_US * dilation;
	char text[24];

	snprintf(text, sizeof(text), "%u", (unsigned)(rto_us < RTO_MAX_US ? rto_us : RTO_MAX_US));
	namespaces_sysctl(namespaces, "net/ipv4/tcp_rto_min_us", text);
	namespaces_sysctl(namespaces, "net/ipv4/tcp_rmem", BUFFERS);
	namespaces_sysctl(namespaces, "net/ipv4/tcp_wmem", BUFFERS);
}

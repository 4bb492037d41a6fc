/*  http_check - what a request must fulfil before it is answered: Host, Origin, token, range, path
 *  (SE-4).
 *
 *  A page of another origin can make a browser send requests to 127.0.0.1. It cannot set the Host
 *  (a name that is bound to another address, "DNS rebinding", stays in it), it cannot remove its
 *  Origin, and it cannot know the token. All functions are pure. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_HTTP_CHECK_H
#define HEDDLE_ORCHESTRATOR_VIEW_HTTP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_TOKEN_DIGITS 32u /* hexadecimal: 128 bits */
#define HTTP_HOST_MAX 64u     /* "[IPv6]:PORT" and the terminating 0 */

/** http_host_allowed() - is @host (NULL: none) an address of this server? Allowed with @port are
 *  127.0.0.1, localhost, [::1] and @listen, an IP literal; if @listen is 0.0.0.0 or ::, any IP
 *  literal: never another name. */
bool http_host_allowed(const char *host, const char *listen, unsigned port);

/** http_origin_allowed() - is @origin (NULL: none, which is fine) that of the page at @host? */
bool http_origin_allowed(const char *origin, const char *host);

/** http_token_given() - does @authorization, "Bearer TOKEN" (NULL: none), have @token? The time
 *  that it takes does not depend on how much of the token is right. */
bool http_token_given(const char *authorization, const char token[HTTP_TOKEN_DIGITS + 1]);

/** http_range() - the part of @size bytes that @range, "bytes=N-" or "bytes=N-M", selects.
 *  @from @length  set; a length of 0: N is @size.
 *  Return: 0, -EINVAL (malformed, or several), -ERANGE (N is beyond @size). */
int http_range(const char *range, uint64_t size, uint64_t *from, uint64_t *length);

/** http_json_flat() - does the JSON @text, not yet parsed, nest its lists and objects at most @most
 *  deep? A parser calls itself for each level, and the threads of a server have small stacks. */
bool http_json_flat(const char *text, size_t length, unsigned most);

/* what a path names */
enum http_target {
	HTTP_TARGET_NONE,
	HTTP_TARGET_PAGE,        /* / */
	HTTP_TARGET_RECORDINGS,  /* /recordings */
	HTTP_TARGET_RECORDING,   /* /recordings/ID */
	HTTP_TARGET_FORK,        /* /fork */
	HTTP_TARGET_METRICS,     /* /metrics */
	HTTP_TARGET_LAB,         /* /lab */
	HTTP_TARGET_PREDICTIONS, /* /lab/predictions */
};

/** http_target() - @path without its query; *@id of HTTP_TARGET_RECORDING. */
enum http_target http_target(const char *path, unsigned *id);

#endif

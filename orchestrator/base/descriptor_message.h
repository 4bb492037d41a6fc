/*  descriptor_message - bytes with file descriptors beside them, over a unix socket. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_MESSAGE_H
#define HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

#define DESCRIPTOR_MESSAGE_MAX 8u /* descriptors of one message */

/** descriptor_send() - sends @bytes with copies of the @count descriptors at @fds. No SIGPIPE.
 *  Return: the bytes that were sent, or -errno. */
ssize_t descriptor_send(int socket, const void *bytes, size_t length, const int *fds,
			unsigned count);

/** descriptor_receive() - receives up to @length bytes.
 *  @count in: how many descriptors fit into @fds; out: how many have come. They are closed on
 *  exec and the caller's; more than that are closed here.
 *  Return: the length, 0 if the other end is closed, or -errno. */
ssize_t descriptor_receive(int socket, void *bytes, size_t length, int *fds, unsigned *count);

#endif

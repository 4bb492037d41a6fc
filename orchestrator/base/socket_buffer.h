/*  socket_buffer - the sizes of a socket's buffers. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SOCKET_BUFFER_H
#define HEDDLE_ORCHESTRATOR_BASE_SOCKET_BUFFER_H

#include <sys/socket.h>

/** socket_buffers_set() - @bytes for sending and for receiving: beyond the machine's limit if that
 *  is permitted, else up to it. */
static inline void socket_buffers_set(int fd, int bytes)
{
	static const int options[2][2] = { { SO_RCVBUFFORCE, SO_RCVBUF },
					   { SO_SNDBUFFORCE, SO_SNDBUF } };

	for (int i = 0; i < 2; i++)
		if (setsockopt(fd, SOL_SOCKET, options[i][0], &bytes, sizeof(bytes)))
			setsockopt(fd, SOL_SOCKET, options[i][1], &bytes, sizeof(bytes));
}

#endif

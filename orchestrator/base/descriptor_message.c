#include "orchestrator/base/descriptor_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	char bytes[CMSG_SPACE(sizeof(int) * DESCRIPTOR_MESSAGE_MAX)];
	struct cmsghdr header;
};

ssize_t descriptor_send(int socket, const void *bytes, size_t length, const int *fds,
			unsigned count)
{
	union control control = { 0 };
	struct iovec piece = { (void *)bytes, length };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
	ssize_t sent;

	if (count > DESCRIPTOR_MESSAGE_MAX)
		return -EMSGSIZE;
	if (count) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * count);
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
	}
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* keeps at most @max descriptors that came with @message */
static void descriptors_take(struct msghdr *message, int *fds, unsigned max, unsigned *count)
{
	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		unsigned number = (unsigned)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (unsigned i = 0; i < number; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(fd));
			if (*count < max)
				fds[(*count)++] = fd;
			else
				close(fd);
		}
	}
}

ssize_t descriptor_receive(int socket, void *bytes, size_t length, int *fds, unsigned *count)
{
	union control control;
	struct iovec piece = { bytes, length };
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	unsigned max = *count;
	ssize_t received;

	*count = 0;
	do
		received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);
	if (received < 0)
		return -errno;
	descriptors_take(&message, fds, max, count);
	return received;
}

#include "orchestrator/command/view_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PORT_MAX 65535ul

static int wrong(const char *command, const struct option_row *row, const char *value)
{
	return options_wrong(command,
			     "%s takes ADDRESS, ADDRESS:PORT or :PORT, with ADDRESS an IP "
			     "address, [IPv6] in brackets, not '%s'",
			     row->name, value);
}

int option_listen(const char *command, const struct option_row *row, void *field, const char *value)
{
	struct view_listen *listen = field;
	const char *begin = value, *end = strrchr(value, ':'), *port = end ? end + 1 : NULL;
	char *rest;

	if (value[0] == '[') {
		begin = value + 1;
		end = strchr(value, ']');
		if (!end || (end[1] && end[1] != ':'))
			return wrong(command, row, value);
		port = end[1] ? end + 2 : NULL;
	}
	if (!end)
		end = value + strlen(value);
	if ((size_t)(end - begin) >= sizeof(listen->address))
		return wrong(command, row, value);
	if (end > begin) {
		memcpy(listen->address, begin, (size_t)(end - begin));
		listen->address[end - begin] = 0;
	}
	if (!port)
		return 0;
	errno = 0;
	listen->port = (unsigned)strtoul(port, &rest, 10);
	if (rest == port || *rest || errno || strtoul(port, NULL, 10) > PORT_MAX || port[0] < '0' ||
	    port[0] > '9')
		return wrong(command, row, value);
	return 0;
}

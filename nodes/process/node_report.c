#include "nodes/process/node_report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/control/control.h"

static int report_socket = CONTROL_FD;

void node_report_to(int socket)
{
	report_socket = socket;
}

static int say(enum control_kind kind, int64_t number, const char *format, va_list arguments)
{
	struct control_message message = { .kind = kind, .number = number };

	vsnprintf(message.text, sizeof(message.text), format, arguments);
	return control_send(report_socket, &message);
}

int node_note(const char *format, ...)
{
	va_list arguments;
	int error;

	va_start(arguments, format);
	error = say(CONTROL_EVENT, 0, format, arguments);
	va_end(arguments);
	return error;
}

int node_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(CONTROL_EVENT, 1, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

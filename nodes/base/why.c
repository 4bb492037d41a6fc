#include "nodes/base/why.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int why_say(struct why *why, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why->text, sizeof(why->text), format, arguments);
	va_end(arguments);
	return error;
}

void why_add(struct why *why, const char *format, ...)
{
	size_t length = strlen(why->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why->text + length, sizeof(why->text) - length, format, arguments);
	va_end(arguments);
}

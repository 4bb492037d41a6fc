#include "orchestrator/base/why.h"

#include <stdarg.h>
#include <stdio.h>

int why_write(int error, char *why, size_t why_max, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, why_max, format, arguments);
	va_end(arguments);
	return error;
}

#include "orchestrator/utf8.h"

#include <jansson.h>

void utf8_mend(char *text)
{
	json_t *string = json_string(text);

	json_decref(string);
	for (; !string && *text; text++)
		if (*text & 0x80)
			*text = '?';
}

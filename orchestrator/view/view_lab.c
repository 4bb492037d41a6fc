#include "orchestrator/view/view_lab.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/view/view_shelf.h"

#define STATUS_WRONG 400

static const char *name_of(const json_t *prediction)
{
	const char *name = json_string_value(json_object_get(prediction, "name"));

	return name ? name : "";
}

static bool is_asked(const json_t *asked, const char *name)
{
	const json_t *prediction;
	size_t i;

	json_array_foreach (asked, i, prediction) {
		if (!strcmp(name_of(prediction), name))
			return true;
	}
	return false;
}

/* the names that there are, as "a, b" */
static void names_put(const json_t *asked, char *text, size_t text_max)
{
	const json_t *prediction;
	size_t i, used = 0;

	text[0] = 0;
	json_array_foreach (asked, i, prediction) {
		if (used < text_max)
			used += (size_t)snprintf(text + used, text_max - used, "%s%.32s",
						 i ? ", " : "", name_of(prediction));
	}
}

/* what is wrong with a prediction, as the end of a sentence; NULL: nothing */
static const char *fault(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t length = json_string_length(value);

	if (!text)
		return "is no text";
	if (length > VIEW_LAB_ANSWER_MAX)
		return "is longer than 200 bytes";
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return "has a control character";
	return text[strspn(text, " ")] ? NULL : "is empty";
}

int view_lab_check(const json_t *lab, const json_t *predictions, struct why *why)
{
	const json_t *asked = json_object_get(lab, "predict");
	char names[256];
	const char *name, *what;
	json_t *value;

	if (!json_is_object(predictions))
		return why_say(why, STATUS_WRONG, "The body is no object.");
	if (!json_object_size(predictions))
		return why_say(why, STATUS_WRONG, "The body has no prediction.");
	json_object_foreach ((json_t *)predictions, name, value) {
		if (!is_asked(asked, name)) {
			names_put(asked, names, sizeof(names));
			return why_say(why, STATUS_WRONG,
				       "The lab asks for no '%.64s'; it asks for: %s.", name,
				       names[0] ? names : "nothing");
		}
		what = fault(value);
		if (what)
			return why_say(why, STATUS_WRONG, "The prediction '%.64s' %s.", name, what);
	}
	return 0;
}

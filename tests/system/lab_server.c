/*  lab_server - the page of a recording with a lab beside it, as `heddle lab start --view` serves
 *  it, with a lab that a test writes and changes (SE-9).
 *  usage: lab_server RECORDING LAB
 *    LAB  a file with the object of GET /lab, read at each request; predictions are put into it.
 *         The prediction "nonsense" is refused.
 *  Prints one line, "view: ADDRESS". Ends with Ctrl-C. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/base/interrupt.h"
#include "orchestrator/view/view_service.h"

/* view_lab.read */
static json_t *lab_read(void *owner, struct why *why)
{
	json_error_t error;
	json_t *lab = json_load_file(owner, 0, &error);

	if (!lab)
		why_say(why, 0, "The lab cannot be read: %.200s.", error.text);
	return lab;
}

/* view_lab.predict */
static int lab_predict(void *owner, const json_t *predictions, struct why *why)
{
	json_t *lab = lab_read(owner, why), *asked;
	size_t i;

	if (!lab)
		return 500;
	json_array_foreach (json_object_get(lab, "predict"), i, asked) {
		const char *name = json_string_value(json_object_get(asked, "name"));
		json_t *answer = json_object_get(predictions, name);

		if (answer && !strcmp(json_string_value(answer), "nonsense")) {
			why_say(why, 0, "The prediction '%s' is nonsense.", name);
			return 400;
		}
		if (answer)
			json_object_set(asked, "answer", answer);
	}
	json_dump_file(lab, owner, JSON_INDENT(1));
	json_decref(lab);
	return 204;
}

int main(int argc, char **argv)
{
	struct view_lab lab = { .owner = argv[argc - 1], .read = lab_read, .predict = lab_predict };
	struct view_service_options options = {
		.server = { .listen = VIEW_LISTEN_OWN, .mode = "run", .lab = &lab },
		.recording = argc == 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1,
		.name = "lab.heddle",
	};
	char url[VIEW_URL_MAX];
	struct why why;
	struct view_service service;

	if (options.recording < 0) {
		fprintf(stderr, "usage: lab_server RECORDING LAB\n");
		return 2;
	}
	interrupt_catch();
	if (view_service_start(&service, &options, url, &why)) {
		fprintf(stderr, "lab_server: %s\n", why.text);
		return 1;
	}
	view_service_state(&service, VIEW_COMPLETE);
	printf("view: %s\n", url);
	fflush(stdout);
	while (view_service_wait(&service, UINT64_MAX))
		continue;
	view_service_end(&service);
	return 0;
}

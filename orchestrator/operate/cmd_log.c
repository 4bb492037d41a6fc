#include "orchestrator/operate/cmd_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/utf8.h"
#include "orchestrator/command/client.h"

static const struct command_words words = {
	"log",
	"usage: heddle log [-f FABRIC] [--json] HOST\n"
	"Prints what the start commands of a host (the key 'run' of a scenario) have printed so\n"
	"far, 16 MiB at most: a last line says if there was more. 'heddle ps' says which run.\n",
	"exit status: 0 printed, 1 it has none, 2 wrong usage or no such fabric, 4 no answer\n",
	.options = client_options,
	.option_count = 2,
	OPERANDS("host", 1, 1),
};

/* Return: 0 or -errno */
static int copy(int fd, FILE *out)
{
	char bytes[65536];
	ssize_t length;

	while ((length = read(fd, bytes, sizeof(bytes))) > 0)
		if (fwrite(bytes, 1, (size_t)length, out) != (size_t)length)
			return -errno;
	return length < 0 ? -errno : 0;
}

/* as JSON, in @answer's key "text": what is no text in UTF-8 is replaced */
static int text_put(int fd, json_t *answer)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int error = out ? copy(fd, out) : -ENOMEM;

	if (out && fclose(out))
		error = -ENOMEM;
	if (!error) {
		for (size_t i = 0; i < size; i++)
			text[i] = text[i] ? text[i] : '?';
		utf8_mend(text);
		utf8_plain_lines(text);
		json_object_set_new(answer, "text", json_string(text));
	}
	free(text);
	return error;
}

static int log_print(int fd, json_t *answer, bool json)
{
	int error = json ? text_put(fd, answer) : copy(fd, stdout);

	if (error) {
		options_wrong("log", "cannot read the log of the host: %s", strerror(-error));
		return CLIENT_FAILED;
	}
	if (json)
		client_json_print(answer);
	return CLIENT_FINE;
}

int cmd_log(int argc, char **argv)
{
	struct client_words options = { 0 };
	struct client client;
	json_t *answer = NULL, *request;
	unsigned fd_count = 1;
	int count, fd, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	status = client_open(&client, "log", options.fabric);
	if (status)
		return status;
	request = json_pack("{s:s}", "ask", "log");
	status = client_text_put("log", request, "host", argv[1]);
	if (status)
		json_decref(request);
	else
		status = client_ask(&client, request, &answer, &fd, &fd_count);
	if (!status && fd_count != 1) {
		options_wrong("log", "the fabric has sent no log");
		status = CLIENT_FAILED;
	} else if (!status) {
		status = log_print(fd, answer, options.json);
		close(fd);
	}
	json_decref(answer);
	client_close(&client);
	return status;
}

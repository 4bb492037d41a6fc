#include "orchestrator/course/lab_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/ready_folder.h"
#include "orchestrator/base/shell_word.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/lab/lab_answer.h"
#include "orchestrator/lab/lab_folder.h"
#include "orchestrator/lab/lab_student.h"

int lab_student_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	struct why why;
	uint64_t number;

	if (quantity_parse(QUANTITY_COUNT, value, &number, &why))
		return options_wrong(command, "%s: %s", row->name, why.text);
	if (!number || number > LAB_STUDENT_MAX)
		return options_wrong(command, "%s takes a number from 1 to %u, not '%s'", row->name,
				     LAB_STUDENT_MAX, value);
	*(unsigned *)field = (unsigned)number;
	return 0;
}

/* ---- folders ---- */

int lab_labs_folder(const char *command, const char *labs, char *folder)
{
	if (labs)
		return snprintf(folder, PATH_MAX, "%s", labs) < PATH_MAX
			       ? 0
			       : options_wrong(command, "--labs: the name is too long");
	return ready_folder("labs", folder, PATH_MAX)
		       ? options_wrong(command, "the labs of heddle are not beside it: give --labs "
						"DIR")
		       : 0;
}

/* " - did you mean 'deadlock'?" or "": names count without their number, too */
static void hint_make(const struct lab_folders *list, const char *word, char *hint, size_t hint_max)
{
	const char **names = calloc(2 * list->count, sizeof(*names));
	size_t count = 0;

	*hint = 0;
	for (size_t i = 0; names && i < list->count; i++) {
		const char *dash = strchr(list->names[i], '-');

		names[count++] = list->names[i];
		if (dash)
			names[count++] = dash + 1;
	}
	if (names)
		suggest_sentence(word, names, count, sizeof(*names), hint, hint_max);
	free(names);
}

/* the folder of the lab that @word names.  Return: 0 or an exit status, reported */
static int folder_find(const char *command, const char *labs, const char *word, char *folder)
{
	char all[PATH_MAX - NAME_MAX - 2], hint[128];
	struct lab_folders list;
	const char *name;
	int error, status = 0;

	if (strchr(word, '/')) {
		size_t length = strlen(word);

		while (length > 1 && word[length - 1] == '/')
			length--;
		return snprintf(folder, PATH_MAX, "%.*s", (int)length, word) < PATH_MAX
			       ? 0
			       : options_wrong(command, "the name of the folder is too long");
	}
	status = lab_labs_folder(command, labs, folder);
	if (status)
		return status;
	if (snprintf(all, sizeof(all), "%s", folder) >= (int)sizeof(all))
		return options_wrong(command, "the name of the folder is too long");
	error = lab_folders_list(all, &list);
	if (error)
		return options_wrong(command, "no labs in %s: %s", all, strerror(-error));
	name = lab_folders_find(&list, word);
	hint_make(&list, word, hint, sizeof(hint));
	if (name)
		snprintf(folder, PATH_MAX, "%s/%s", all, name);
	else
		status = options_wrong(command,
				       "there is no lab '%s'%s; 'heddle lab list' lists "
				       "them",
				       word, hint);
	lab_folders_free(&list);
	return status;
}

/* ---- lab, values, answers ---- */

static int errors_tell(const char *command, int error, struct scenario_errors *errors)
{
	scenario_errors_print(errors, stderr);
	if (error && !errors->count)
		options_wrong(command, "%s", strerror(-error));
	scenario_errors_free(errors);
	return error ? EXIT_USAGE : 0;
}

/* the folder if @word is one, else the name, with --labs if it is of another folder of labs.
 * Return: malloc'd; NULL: memory is short */
static char *words_make(const struct lab_opening *opening, const char *word, const char *name)
{
	char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return NULL;
	shell_word_print(strchr(word, '/') ? word : name, out);
	if (opening->labs && !strchr(word, '/')) {
		fputs(" --labs ", out);
		shell_word_print(opening->labs, out);
	}
	return fclose(out) ? NULL : words;
}

int lab_open(const char *command, const struct lab_opening *opening, const char *word,
	     struct lab_opened *opened)
{
	struct scenario_errors errors = { 0 };
	char folder[PATH_MAX];
	int error, status;

	*opened = (struct lab_opened){ .student = opening->student ? opening->student
								   : LAB_STUDENT_DEFAULT };
	status = folder_find(command, opening->labs, word, folder);
	if (status)
		return status;
	error = lab_read(folder, &opened->lab, &errors);
	opened->words = words_make(opening, word, opened->lab.name);
	if (!opened->words)
		error = error ? error : -ENOMEM;
	if (!error)
		error = lab_student_values(&opened->lab, opened->student, &opened->values);
	if (!error) {
		lab_record_name(&opened->lab, opened->student, opened->record_path);
		error = lab_record_read(opened->record_path, &opened->lab, opened->student,
					&opened->record, &errors);
	}
	return errors_tell(command, error, &errors);
}

void lab_opened_free(struct lab_opened *opened)
{
	lab_record_free(&opened->record);
	lab_values_free(&opened->values);
	lab_free(&opened->lab);
	free(opened->words);
	opened->words = NULL;
}

int lab_text_take(const struct lab_question *question, const char *text, char **kept,
		  struct why *why)
{
	struct lab_values ignored = { 0 };
	int error;

	why_say(why, 0, "not enough memory");
	error = lab_answer_take(question, text, &ignored, why);
	lab_values_free(&ignored);
	if (strlen(text) > LAB_RECORD_TEXT_MAX)
		error = why_say(why, -EINVAL, "an answer has at most %u bytes",
				LAB_RECORD_TEXT_MAX);
	if (error)
		return error;
	free(*kept);
	*kept = strdup(text);
	return *kept ? 0 : -ENOMEM;
}

int lab_take(const char *command, char **words, int word_count,
	     const struct lab_question *questions, uint32_t count, char **texts)
{
	for (int i = 0; i < word_count; i++) {
		const char *equals = strchr(words[i], '=');
		char name[LAB_NAME_MAX], hint[128];
		const struct lab_question *question;
		struct why why;

		if (!equals)
			return options_wrong(command, "expected NAME=VALUE, not '%s'", words[i]);
		snprintf(name, sizeof(name), "%.*s", (int)(equals - words[i]), words[i]);
		question = lab_question_find(questions, count, name);
		if (!question) {
			suggest_sentence(name, &questions[0].name, count, sizeof(questions[0]),
					 hint, sizeof(hint));
			return options_wrong(command, "this lab asks no '%s'%s", name, hint);
		}
		if (lab_text_take(question, equals + 1, &texts[question - questions], &why))
			return options_wrong(command, "%s: %s", question->name, why.text);
	}
	return 0;
}

int lab_take_words(const char *command, char **argv, int count, const struct lab_opened *opened,
		   const struct lab_question *questions, uint32_t question_count, char **texts)
{
	int status = lab_take(command, argv + 2, count - 1, questions, question_count, texts);

	return !status && count > 1 ? lab_keep(command, opened) : status;
}

int lab_keep(const char *command, const struct lab_opened *opened)
{
	int error = lab_record_write(opened->record_path, &opened->lab, opened->student,
				     &opened->record);

	return error ? options_wrong(command, "cannot write %s: %s", opened->record_path,
				     atomic_file_why(error))
		     : 0;
}

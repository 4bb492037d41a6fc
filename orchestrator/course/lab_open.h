/*  lab_open - what every command about one lab needs: the lab, the student's values, and the file
 *  of answers. */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_OPEN_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_OPEN_H

#include "orchestrator/command/options.h"
#include "orchestrator/lab/lab_file.h"
#include "orchestrator/lab/lab_record.h"

/* the first member of the options of such a command */
struct lab_opening {
	const char *labs; /* folder of labs; NULL: those of heddle */
	unsigned student; /* 0: the default */
};

struct lab_opened {
	struct lab lab;
	char *words; /* that name the lab in a command, for a shell */
	uint32_t student;
	struct lab_values values; /* of the student */
	struct lab_record record;
	char record_path[NAME_MAX + 1];
};

/** lab_student_take() - the number after --student. */
option_fn lab_student_take;

/* rows of a table of options */
#define LAB_OPENING_ROWS(type)                                                                 \
	OPTION_TAKE("--student", "N", offsetof(type, opening.student), lab_student_take, NULL, \
		    "your number, which chooses your values; 1 if there is none"),             \
		OPTION_TEXT("--labs", "DIR", offsetof(type, opening.labs),                     \
			    "the labs in DIR instead of those that come with heddle")

/** lab_labs_folder() - the folder of the labs: @labs, or that of heddle.
 *  @folder  PATH_MAX bytes.  Return: 0 or an exit status, reported. */
int lab_labs_folder(const char *command, const char *labs, char *folder);

/** lab_open() - the lab that @word names (its number, its name, or its folder) for the student of
 *  @opening, with the answers that are kept in the current folder.
 *  Return: 0 or an exit status, reported. lab_opened_free() in any case. */
int lab_open(const char *command, const struct lab_opening *opening, const char *word,
	     struct lab_opened *opened);
void lab_opened_free(struct lab_opened *opened);

/** lab_text_take() - keeps @text, an answer to @question, in *@kept, which is free()d.
 *  Return: 0; -EINVAL or -ENOMEM with a sentence in @why. */
int lab_text_take(const struct lab_question *question, const char *text, char **kept,
		  struct why *why);

/** lab_take() - NAME=VALUE words into @texts, one for each of @questions.
 *  Return: 0 or an exit status, reported. */
int lab_take(const char *command, char **words, int word_count,
	     const struct lab_question *questions, uint32_t count, char **texts);

/** lab_take_words() - lab_take() of the @count operands of @argv, of which the first is the lab;
 *  if there are others, the file of answers is written. */
int lab_take_words(const char *command, char **argv, int count, const struct lab_opened *opened,
		   const struct lab_question *questions, uint32_t question_count, char **texts);

/** lab_keep() - writes the file of answers.  Return: 0 or an exit status, reported. */
int lab_keep(const char *command, const struct lab_opened *opened);

#endif

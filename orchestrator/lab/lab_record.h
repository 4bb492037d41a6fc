/*  lab_record - the file of one student's predictions and answers to a lab:
 *  lab-NAME-student-N.yaml.
 *
 *      lab: 03-innocent-flow
 *      student: 4711
 *      predictions: {share: "12.4"}
 *      answers: {victim: "24.8"}
 *      passed: yes
 *
 *  Texts are kept as the student wrote them. The file is replaced as a whole. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_RECORD_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_RECORD_H

#include "orchestrator/lab/lab_file.h"

#define LAB_RECORD_TEXT_MAX 400u /* bytes of an answer */

struct lab_record {
	/* what was answered to the questions of the lab, in their order; owned; NULL: nothing */
	char *predictions[LAB_QUESTIONS_MAX], *answers[LAB_QUESTIONS_MAX];
	bool passed; /* the check has passed once: the explanation may be shown */
};

/** lab_record_name() - writes the name of the file to @name, NAME_MAX + 1 bytes. */
void lab_record_name(const struct lab *lab, uint32_t student, char *name);

/** lab_record_read() - the file @path of @student; a missing file has no answers. Questions that
 *  the lab does not have are an error.
 *  Return: 0; -EINVAL with @errors; -ENOMEM. lab_record_free() in any case. */
int lab_record_read(const char *path, const struct lab *lab, uint32_t student,
		    struct lab_record *record, struct scenario_errors *errors);

/** lab_record_read_memory() - the same for @length bytes at @text. @path is the name in errors. */
int lab_record_read_memory(const char *path, const char *text, size_t length, const struct lab *lab,
			   uint32_t student, struct lab_record *record,
			   struct scenario_errors *errors);

/** lab_record_write() - replaces the file @path.  Return: 0; atomic_file_why() explains others. */
int lab_record_write(const char *path, const struct lab *lab, uint32_t student,
		     const struct lab_record *record);

void lab_record_free(struct lab_record *record);

#endif

/*  view_lab - the lab that the page shows beside the fabric, and the predictions of its reader
 *  (SE-9).
 *
 *  GET /lab answers an object:
 *
 *    name         of the lab, for command lines ("02-victim")
 *    title        one line
 *    minutes      how long it takes, a number
 *    student      number of the student
 *    text         Markdown, without the explanation
 *    explanation  Markdown; null before it may be read
 *    predict      array of {name, ask, unit, answer}; unit: "" if there is none; answer: a text,
 *                 null before there is one
 *
 *  PUT /lab/predictions takes an object of texts, by the names of `predict`. Both ask the owner of
 *  the lab each time, so the page and commands in a terminal always see the same. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_VIEW_LAB_H
#define HEDDLE_ORCHESTRATOR_VIEW_VIEW_LAB_H

#include <jansson.h>

#include "nodes/base/why.h"

#define VIEW_LAB_ANSWER_MAX 200u /* bytes of a prediction */

/* The hooks are called in the process of the server, by one thread at a time. That process has
 * none of the descriptors that the one that started it has open (view_service.h). */
struct view_lab {
	void *owner; /* of the hooks */
	/* the object of GET /lab, new; NULL with a sentence in @why */
	json_t *(*read)(void *owner, struct why *why);
	/* saves @predictions, which view_lab_check() has found good; borrowed.
	 * Return: 204, or the status of an error with a sentence in @why */
	int (*predict)(void *owner, const json_t *predictions, struct why *why);
};

/** view_lab_check() - may @predictions, the body of a request, be saved for @lab, the object
 *  above? It is an object of texts with names of the lab, at least one. Each text has 1 to
 *  VIEW_LAB_ANSWER_MAX bytes, is not blank, and has no control character.
 *  Return: 0, or the status of HTTP for a mistake with a sentence in @why.
 *  Pure. */
int view_lab_check(const json_t *lab, const json_t *predictions, struct why *why);

#endif

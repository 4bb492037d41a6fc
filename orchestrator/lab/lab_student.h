/*  lab_student - the values of one student, by a hash: two students rarely have the same, and the
 *  choice can be repeated.
 *
 *  For each variable of the lab: SHA-256 of "LAB/VARIABLE/NUMBER" (the name of the lab's folder,
 *  the name of the variable, the student's number in decimal digits). Its first 8 bytes are a
 *  number, the most significant byte first; modulo the number of possible values it is the index of
 *  the value, from 0. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_STUDENT_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_STUDENT_H

#include "orchestrator/base/sha256.h"
#include "orchestrator/lab/lab_file.h"

#define LAB_STUDENT_DEFAULT 1u
#define LAB_STUDENT_MAX 999999999u

/** lab_student_index() - the index of the value of variable @variable of lab @lab, below @count.
 *  Pure. */
uint64_t lab_student_index(const char *lab, const char *variable, uint32_t student, uint64_t count);

/** lab_student_values() - adds the values of @student in @lab to @values.
 *  Return: 0 or -ENOMEM. */
int lab_student_values(const struct lab *lab, uint32_t student, struct lab_values *values);

#endif

/*  utf8 - text from outside (a file's name, a node's last words) that is to go into JSON, which takes UTF-8 only.     */
#ifndef HEDDLE_ORCHESTRATOR_UTF8_H
#define HEDDLE_ORCHESTRATOR_UTF8_H

/** utf8_mend() - @text as it is if it is UTF-8; else every byte of it that is no ASCII becomes '?', in place. */
void utf8_mend(char *text);

#endif

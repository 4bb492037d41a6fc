/*  embed - a file in the program. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_EMBED_H
#define HEDDLE_ORCHESTRATOR_BASE_EMBED_H

/** EMBED() - defines NAME_text, the bytes of the file at @path and a 0, and size_t NAME_length, how
 *  many they are without it. The Makefile names the file as what the object depends on. */
#define EMBED(name, path)                                     \
	__asm__(".pushsection .rodata\n"                      \
		".global " name "_text\n" name "_text:\n"     \
		".incbin \"" path "\"\n" name "_end:\n"       \
		".byte 0\n"                                   \
		".balign 8\n"                                 \
		".global " name "_length\n" name "_length:\n" \
		".quad " name "_end - " name "_text\n"        \
		".popsection\n")

#endif

/*  sanitizer - which sanitizers check this program? gcc and clang say so in different words. */
#ifndef HEDDLE_NODES_BASE_SANITIZER_H
#define HEDDLE_NODES_BASE_SANITIZER_H

#ifdef __has_feature
#define SANITIZER_HAS(name) __has_feature(name##_sanitizer)
#else
#define SANITIZER_HAS(name) 0
#endif

/* addresses and leaks */
#if defined(__SANITIZE_ADDRESS__) || SANITIZER_HAS(address)
#define SANITIZER_ADDRESS 1
#else
#define SANITIZER_ADDRESS 0
#endif

/* any that looks at the whole process while it runs, by calls of its own */
#if SANITIZER_ADDRESS || defined(__SANITIZE_THREAD__) || SANITIZER_HAS(thread) || \
	SANITIZER_HAS(memory)
#define SANITIZER_CALLS 1
#else
#define SANITIZER_CALLS 0
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile: hints as somebody writes them who means harm: long, binary, with
 * huge numbers, products that overflow, format specifiers, quotes, newlines,
 * pieces of JSON, our own marks, terminal escapes, odd UTF-8; nearly good ones,
 * and good ones with absurd bytes.
 */
#ifndef LEAFSPINE_TESTS_HOSTILE_H
#define LEAFSPINE_TESTS_HOSTILE_H

#include <stddef.h>

#define HOSTILE_MAX 5000

/* Hint NUMBER into TEXT of HOSTILE_MAX bytes; always the same one. */
void hostile_hint(unsigned number, char *text);

#endif

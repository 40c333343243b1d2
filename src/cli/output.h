/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output: messages, and quantities with their units for people.
 */
#ifndef LEAFSPINE_OUTPUT_H
#define LEAFSPINE_OUTPUT_H

/* One line on standard error: "leafspine: " and the text, made printable. */
void output_complain(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* The same, for every allocation that fails. */
void output_no_memory(void);

/* Room for every quantity below. */
#define OUTPUT_QUANTITY_MAX 32

/*
 * A quantity of three digits: "34.4 GB", "3.2 Tbit/s", "10.7 ms", "2.5 %",
 * "4:1", "37x". Each returns BUFFER, of OUTPUT_QUANTITY_MAX bytes.
 */
char *output_bytes(double bytes, char *buffer);
char *output_gbps(double gbps, char *buffer);
char *output_seconds(double seconds, char *buffer);
char *output_percent(double share, char *buffer);
char *output_ratio(double oversubscription, char *buffer);
char *output_times(double factor, char *buffer);

#endif

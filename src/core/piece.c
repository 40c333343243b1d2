/* SPDX-License-Identifier: GPL-2.0-or-later */
/* piece: cutting text, and reading numbers without a locale. */

#include "piece.h"

#include <string.h>

bool piece_is(struct piece piece, const char *word)
{
	return strlen(word) == piece.length &&
	       !memcmp(word, piece.text, piece.length);
}

bool piece_cut(struct piece *rest, char separator, struct piece *ret)
{
	const char *end;

	if (!rest->text)
		return false;
	ret->text = rest->text;
	end = memchr(rest->text, separator, rest->length);
	if (!end) {
		ret->length = rest->length;
		rest->text = NULL;
		return true;
	}
	ret->length = (size_t)(end - rest->text);
	rest->text = end + 1;
	rest->length -= ret->length + 1;
	return true;
}

static long double power_of_ten(int exponent)
{
	long double power = 1;

	for (; exponent > 0; exponent--)
		power *= 10;
	return power;
}

/* Factor of a unit suffix; 0 where it is none. */
static double suffix_factor(struct piece suffix, bool billions)
{
	static const char letters[] = "KMGTP";
	const char *letter;
	double factor = 1;

	if (!suffix.length)
		return 1;
	if (billions && piece_is(suffix, "B"))
		return 1e9;
	letter = memchr(letters, suffix.text[0], sizeof(letters) - 1);
	if (!letter || suffix.length > 2 ||
	    (suffix.length == 2 && suffix.text[1] != 'i'))
		return 0;
	for (long i = letter - letters; i >= 0; i--)
		factor *= suffix.length == 2 ? 1024 : 1000;
	return factor;
}

struct decimal {
	long double digits;	/* all digits as one integer */
	int scale;		/* times ten to this */
	bool any;
};

static size_t scan_digits(struct piece text, size_t at, struct decimal *number,
			  bool fraction)
{
	for (; at < text.length && piece_digit(text.text[at]); at++) {
		number->any = true;
		/* Digits beyond a long double's precision only shift. */
		if (number->digits < 1e18L) {
			number->digits = number->digits * 10 +
					 (text.text[at] - '0');
			number->scale -= fraction;
		} else {
			number->scale += !fraction;
		}
	}
	return at;
}

/* An exponent at AT, if one is there whole; 'e' alone is left to the suffix. */
static size_t scan_exponent(struct piece text, size_t at,
			    struct decimal *number)
{
	size_t digits = at + 1;
	int sign = 1, exponent = 0;

	if (at >= text.length || (text.text[at] != 'e' && text.text[at] != 'E'))
		return at;
	if (digits < text.length &&
	    (text.text[digits] == '+' || text.text[digits] == '-'))
		sign = text.text[digits++] == '-' ? -1 : 1;
	if (digits >= text.length || !piece_digit(text.text[digits]))
		return at;
	for (; digits < text.length && piece_digit(text.text[digits]); digits++)
		if (exponent < 10000)
			exponent = exponent * 10 + (text.text[digits] - '0');
	number->scale += sign * exponent;
	return digits;
}

bool piece_number(struct piece text, bool billions, double *ret)
{
	struct decimal number = { 0 };
	long double value;
	double factor;
	size_t at = scan_digits(text, 0, &number, false);

	if (at < text.length && text.text[at] == '.')
		at = scan_digits(text, at + 1, &number, true);
	if (!number.any)
		return false;
	at = scan_exponent(text, at, &number);
	factor = suffix_factor((struct piece){ text.text + at,
					       text.length - at }, billions);
	if (factor == 0)
		return false;
	if (number.scale > 400)
		number.scale = 400;
	if (number.scale < -400)
		number.scale = -400;
	value = number.digits * factor;
	value = number.scale < 0 ? value / power_of_ten(-number.scale) :
				   value * power_of_ten(number.scale);
	*ret = (double)value;
	return true;
}

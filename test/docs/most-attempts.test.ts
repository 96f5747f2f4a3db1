import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MOST_ATTEMPTS } from '../../domain/webhooks/delivery.ts';

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
/** Of an activity operators are told by another number, which is "more than". */
const A_NUMBER = new RegExp(`(?<!more than )\\b(\\d+|${WORDS.join('|')}) attempts\\b|\\battempts \\| (\\d+);`, 'gi');

test.each(['docs/webhooks.md', 'docs/operations.md', 'docs/contract/webhooks.md', 'docs/contract/limits.md'])(
  '%s names as many attempts of a delivery as are made',
  (path) => {
    const told = Array.from(readFileSync(path, 'utf8').matchAll(A_NUMBER), ([, before = '', after = before]) => after);
    expect(new Set(told.map((number) => WORDS.indexOf(number) + 1 || Number(number)))).toEqual(new Set([MOST_ATTEMPTS]));
  },
);

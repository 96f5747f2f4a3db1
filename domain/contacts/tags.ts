import * as z from 'zod';
import { boundedArray } from '../bounded-array.ts';

/** Of one contact, and of whatever asks for the tags of one. */
export const MAX_TAGS = 100;
const MAX_TAG_LENGTH = 64;
export const TAG_RULE = `1 to ${MAX_TAG_LENGTH} characters`;

export function isTag(text: string): boolean {
  return text.length >= 1 && text.length <= MAX_TAG_LENGTH;
}

export const Tag = z.string().min(1, { error: TAG_RULE }).max(MAX_TAG_LENGTH, { error: TAG_RULE });

export const Tags = boundedArray(Tag, MAX_TAGS, { error: `at most ${MAX_TAGS} tags` });

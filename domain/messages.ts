import * as z from 'zod';
import { MAX_ISSUES } from './errors.ts';
import { insteadOf } from './nearest-name.ts';

/** Of what is not given. */
export const REQUIRED = 'required';

const NOT_A: Readonly<Record<string, string>> = {
  string: 'not a text',
  number: 'not a number',
  nan: 'not a number',
  int: 'not a whole number',
  boolean: 'not true or false',
  array: 'not a list',
  object: 'not an object',
  record: 'not an object',
  date: 'not a timestamp',
  null: 'not null',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'not an email address',
  url: 'not a URL',
  uuid: 'not a UUID',
  datetime: 'not a timestamp in ISO 8601, like 2026-01-31T12:00:00Z',
  date: 'not a date like 2026-01-31',
};

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
};

/** What is wrong with a value, in the words of this API. A schema's own `error` comes before it; undefined leaves the text to zod. */
export function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? REQUIRED : NOT_A[issue.expected];
    case 'invalid_value':
      if (issue.input === undefined) return REQUIRED;
      return `${issue.values.length === 1 ? 'must be' : 'one of'} ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? REQUIRED : noneOf(issue.errors);
    case 'unrecognized_keys':
      return noSuchFields(issue.keys, issue.inst);
    case 'invalid_format':
      return FORMATS[issue.format];
    case 'too_small':
      return limit(issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'above', issue.minimum, issue.origin);
    case 'too_big':
      return limit(issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'below', issue.maximum, issue.origin);
    case 'not_multiple_of':
      return `not a multiple of ${issue.divisor}`;
    default:
      return undefined;
  }
}

/** A line for each of the fields that are told. */
function noSuchFields(names: readonly string[], schema: unknown): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return names
    .slice(0, MAX_ISSUES)
    .map((name) => `no such field; ${insteadOf(name, known)}`)
    .join('\n');
}

/** `not a text and not a list`, when every alternative is of another type than the value. */
function noneOf(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const types = alternatives.map((issues) => issues.find(({ code, path }) => code === 'invalid_type' && path.length === 0)?.message);
  return types.length > 0 && types.every((type) => type !== undefined) ? [...new Set(types)].join(' and ') : undefined;
}

function limit(relation: string, bound: number | bigint, origin: string): string {
  const unit = UNITS[origin]?.[Number(bound) === 1 ? 0 : 1];
  return [relation, bound, unit].filter((part) => part !== undefined).join(' ');
}

import { type Issue, MAX_ISSUES } from '../errors.ts';
import { pathText } from '../issues.ts';
import { visitTexts } from '../json-texts.ts';
import { nearestName } from '../nearest-name.ts';
import type { DataField } from './registry-entry.ts';
import { safeImageUrl } from './safe-url.ts';
import { pathReader } from './variables.ts';

/**
 * What a mail would show otherwise than its caller may think: a misspelt field, whose part of the mail stays away, Liquid within data, which
 * does not run, and an address that no link is made of. The mail goes all the same. `at`: where the data was written.
 */
export function dataWarnings(dataSchema: readonly DataField[], data: Readonly<Record<string, unknown>>, at = 'data'): Issue[] {
  const issues = dataSchema.flatMap<Issue>(({ path, kind }) => {
    const value = kind === 'url' ? pathReader(path)(data) : undefined;
    return isNoAddress(value) ? { path: `${at}.${path}`, message: NO_ADDRESS } : [];
  });
  issues.push(...misspeltFields(dataSchema, data, at));
  visitTexts(data, (text, path) => {
    if (issues.length < MAX_ISSUES && isLiquid(text)) issues.push({ path: pathText(path, at), message: NO_LIQUID });
  });
  return issues;
}

/** More are not looked at: each is compared to many names. */
const MAX_FIELDS = 200;

/** Fields that the template does not declare and whose name is near one that it does and that is not given. */
function misspeltFields(dataSchema: readonly DataField[], data: Readonly<Record<string, unknown>>, at: string): Issue[] {
  const declared = [...new Set(dataSchema.map(({ path }) => path.split('.', 1)[0] ?? ''))];
  const lacking = declared.filter((name) => !Object.hasOwn(data, name));
  if (lacking.length === 0) return [];
  const others = Object.keys(data).filter((name) => !declared.includes(name));
  return others.slice(0, MAX_FIELDS).flatMap((name) => {
    const near = nearestName(name, lacking);
    return near === undefined ? [] : [{ path: `${at}.${name}`, message: `no field of this template; did you mean ${near}?` }];
  });
}

const NO_ADDRESS = 'not an https, http or mailto address: the email has no link to it';
const NO_LIQUID = 'data is shown as it is, its Liquid does not run; it belongs into the template or the subject';

function isNoAddress(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'string' || safeImageUrl(value) === '';
}

function isLiquid(text: string): boolean {
  return (text.includes('{{') && text.includes('}}')) || (text.includes('{%') && text.includes('%}'));
}

import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { normalizeEmail } from '../domain/contacts/email-address.ts';
import { MAX_USER_LENGTH, type ReturnPath } from '../domain/sends/return-path.ts';
import { type NameServer, nameServerOf } from './dns/name-server.ts';

/** What the text of a variable is read as. A rule's message says what the text should be. */
export type SettingRule<T> = z.ZodType<T, string>;

/** What TRUST_PROXY=1 stands for: a proxy on the same machine or in the same private network. */
const PRIVATE_RANGES = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'];

export const TEXT: SettingRule<string> = z.string();

/** Any number from `min` on. */
export function numberFrom(min: number): SettingRule<number> {
  const should = `a number of at least ${min}`;
  return z.string().transform(Number).pipe(z.number(should).min(min, should).max(Number.MAX_SAFE_INTEGER, should));
}

/** A whole number from `min` on, up to `max` where there is one. */
export function wholeNumber(min: number, max?: number): SettingRule<number> {
  const should = `a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
  return z
    .string()
    .transform(Number)
    .pipe(
      z
        .int(should)
        .min(min, should)
        .max(max ?? Number.MAX_SAFE_INTEGER, should),
    );
}

export const PORT = wholeNumber(0, 65_535);

export const FLAG: SettingRule<boolean> = z.stringbool({
  truthy: ['1', 'true'],
  falsy: ['0', 'false'],
  case: 'sensitive',
  error: '1 or 0',
});

export function oneOf<const T extends string>(values: readonly T[]): SettingRule<T> {
  return z.enum(values, `one of ${values.join(', ')}`) as z.ZodType<T, string>;
}

export const HOST_AND_PORT: SettingRule<string> = z.string().regex(/^\[?[^\s/@]+\]?:\d{1,5}$/, 'host:port, like 127.0.0.1:7233');

/** A URL of one of these protocols, as the URL class has them. */
export function urlOf(protocols: readonly string[], example: string): SettingRule<URL> {
  return z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), { error: `a URL like ${example}`, abort: true })
    .transform((text) => new URL(text));
}

/** The base of addresses: nothing can come after what is added to it. */
export const BASE_URL = urlOf(['http:', 'https:'], 'https://mail.example.com').refine(
  ({ search, hash, username }) => !(search || hash || username),
  'a plain base address like https://mail.example.com, without query, fragment or credentials',
);

const KEY = '32 bytes in base64, for example from: openssl rand -base64 32';

function keyOr(should: string): SettingRule<Buffer> {
  return z
    .string()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((key) => key.length === 32, should);
}

export const SECRET_KEY = keyOr(KEY);
export const SECRET_KEYS: SettingRule<Buffer[]> = z
  .string()
  .transform((text) => partsOf(text).filter((part) => part !== ''))
  .pipe(z.array(keyOr(`${KEY}; several are separated by commas`)));

/** CIDR ranges; undefined: none. */
export const PROXIES: SettingRule<readonly string[] | undefined> = z.string().transform((text, { issues }) => {
  if (text === '0' || text === 'false') return undefined;
  if (text === '1' || text === 'true') return PRIVATE_RANGES;
  const ranges = partsOf(text).map(rangeOf);
  if (!ranges.every((range) => ipaddr.isValidCIDR(range)))
    issues.push({ code: 'custom', input: text, message: '1, or addresses and ranges like 10.0.0.0/8,192.0.2.7' });
  return ranges;
});

/** In the order in which they are asked. */
export const NAME_SERVERS: SettingRule<readonly NameServer[]> = z.string().transform((text, { issues }) => {
  const servers = partsOf(text).map(nameServerOf);
  if (servers.includes(undefined))
    issues.push({
      code: 'custom',
      input: text,
      message: 'addresses like 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353, separated by commas',
    });
  return servers.filter((server) => server !== undefined);
});

/** In lower case. Names of services may have underscores. */
export const HOST_NAME: SettingRule<string> = z
  .string()
  .toLowerCase()
  .max(253, { error: 'a name like _spf.example.com' })
  .regex(/^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/, { error: 'a name like _spf.example.com' });

/** An address whose mailbox takes mail for `user+anything` as well. */
export const RETURN_PATH: SettingRule<ReturnPath> = z.string().transform((text, { issues }) => {
  const email = normalizeEmail(text);
  const [user = '', host = ''] = email?.split('@') ?? [];
  if (!/^[a-z0-9._-]+$/.test(user) || user.length > MAX_USER_LENGTH)
    issues.push({
      code: 'custom',
      input: text,
      message: `an address like bounces@mail.example.com, with at most ${MAX_USER_LENGTH} letters and digits before the @`,
    });
  return { user, host };
});

function partsOf(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** A single address as the range of itself. */
function rangeOf(text: string): string {
  return ipaddr.isValid(text) ? `${text}/${ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128}` : text;
}

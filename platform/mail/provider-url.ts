import { ConfigError } from '../config-error.ts';

/** Keys are printable ASCII, since they go in a header. */
const KEY = /^[!-~]+$/;

/** The key of an API, as a part of the URL has it. `example`: how the URL should look. Throws ConfigError, without the key. */
export function apiKeyOf(part: string, example: string): string {
  if (part === '') throw new ConfigError(`EMAIL_PROVIDER_URL should hold the API key: ${example}`);
  const key = decoded(part);
  if (!KEY.test(key)) throw new ConfigError(`EMAIL_PROVIDER_URL has spaces or characters beyond ASCII in its key: ${example}`);
  return key;
}

/** The key of a URL that has nothing else before its options. Throws ConfigError, without the key. */
export function onlyKeyOf(url: URL, example: string): string {
  const key = apiKeyOf(url.hostname, example);
  // A key with such characters in it would be cut there.
  if (url.username || url.password || url.port || !['', '/'].includes(url.pathname))
    throw new ConfigError(`EMAIL_PROVIDER_URL has more than a key before its options; write @ : / in a key as %40 %3A %2F: ${example}`);
  return key;
}

/** Throws ConfigError for an option that is none of these. */
export function checkOptions(url: URL, options: readonly string[]): void {
  const unknown = [...url.searchParams.keys()].find((option) => !options.includes(option));
  if (unknown === undefined) return;
  const scheme = url.protocol.replace(':', '');
  throw new ConfigError(`EMAIL_PROVIDER_URL has the unknown option "${unknown}"; ${scheme} knows ${options.join(', ')}`);
}

/** Where requests go: below `api`, or below the server that the option baseUrl names. Throws ConfigError. */
export function targetOf(url: URL, path: string, api: string): URL {
  const base = url.searchParams.get('baseUrl');
  if (base !== null && (!/^https?:\/\//.test(base) || !URL.canParse(base)))
    throw new ConfigError('EMAIL_PROVIDER_URL has a baseUrl that is no URL with http:// or https://');
  return new URL(path, base ?? api);
}

/** The API of the region that the option names. Throws ConfigError. */
export function regionOf(url: URL, apis: { readonly us: string; readonly eu: string }): string {
  const region = url.searchParams.get('region') ?? 'us';
  if (region !== 'us' && region !== 'eu')
    throw new ConfigError(`EMAIL_PROVIDER_URL has region=${region}; it should be eu, or us, which is the default`);
  return apis[region];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConfigError('EMAIL_PROVIDER_URL has a key that is not percent-encoded as URLs need it: write % as %25');
  }
}

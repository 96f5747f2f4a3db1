import { ConfigError } from '../config-error.ts';
import type { AwsCredentials } from '../sigv4.ts';

/** Where objects are in a bucket, and who asks for them. */
export interface S3Place {
  readonly bucket: string;
  readonly region: string;
  /** Ends with a slash; a key comes after it. */
  readonly base: URL;
  readonly credentials: AwsCredentials;
}

export const FILES_URL_EXAMPLE = 's3://bucket/prefix?region=eu-west-1';

const OPTIONS = ['region', 'endpoint', 'style'];
/** What needs no encoding, so that a path is signed as it goes over the wire. */
const PREFIX = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * `s3://bucket/prefix?region=…`, for a store that is not Amazon's with `endpoint=https://…`; `style=host` puts the bucket into the name of the
 * host there, `style=path` into the path at Amazon.
 */
export function readS3Url(url: URL, credentials: AwsCredentials | undefined): S3Place {
  const refuse = (why: string): never => {
    throw new ConfigError(`FILES_URL ${why}; it should be a URL like ${FILES_URL_EXAMPLE}&endpoint=https://s3.example.com`);
  };
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) refuse(`has the option "${unknown}", which is none of ${OPTIONS.join(', ')}`);
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    refuse(`names ${bucket ? `the bucket "${bucket}"` : 'no bucket'}; one has 3 to 63 small letters, digits, dots and hyphens`);
  const prefix = url.pathname.replace(/\/+$/, '');
  if (!PREFIX.test(prefix)) refuse('has a prefix with more than letters, digits, dots, hyphens and underscores');
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region') ?? (endpoint === null ? refuse('names no region') : 'us-east-1');
  if (!/^[a-z0-9-]{1,40}$/.test(region)) refuse('has a region that cannot be one');
  const host = hostOf(endpoint ?? `https://s3.${region}.amazonaws.com`) ?? refuse('has an endpoint that is no plain http or https address');
  // A certificate for *.s3.… has no bucket with dots.
  const style = url.searchParams.get('style') ?? (endpoint === null && !bucket.includes('.') ? 'host' : 'path');
  if (style !== 'host' && style !== 'path') refuse('has a style that is neither host nor path');
  const given = credentialsOf(url) ?? credentials;
  if (!given) throw new ConfigError('FILES_URL is s3://, which needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const base = style === 'host' ? `${host.protocol}//${bucket}.${host.host}${prefix}/` : `${host.origin}/${bucket}${prefix}/`;
  return { bucket, region, base: new URL(base), credentials: given };
}

function hostOf(endpoint: string): URL | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && !url.username;
  return isPlain ? url : undefined;
}

function credentialsOf({ username, password }: URL): AwsCredentials | undefined {
  return username === '' ? undefined : { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) };
}

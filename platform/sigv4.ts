import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

export interface SignedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** Without a query, and with nothing in its path that would have to be encoded. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, in hex. */
  readonly bodySha256: string;
  readonly region: string;
  readonly service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * The headers of the request with those of AWS Signature Version 4 added, names in lower case
 * (docs.aws.amazon.com/IAM: "Create a signed AWS API request").
 */
export function signedHeaders(request: SignedRequest, credentials: AwsCredentials, now: Date): Record<string, string> {
  const instant = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const day = instant.slice(0, 8);
  const headers: Record<string, string> = { host: request.url.host, 'x-amz-date': instant };
  for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value.trim().replace(/ +/g, ' ');
  if (credentials.sessionToken !== undefined) headers['x-amz-security-token'] = credentials.sessionToken;
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const canonical = [
    request.method,
    request.url.pathname,
    '',
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    signed,
    request.bodySha256,
  ].join('\n');
  const scope = `${day}/${request.region}/${request.service}/aws4_request`;
  const key = [day, request.region, request.service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, [ALGORITHM, instant, scope, sha256(canonical)].join('\n')).toString('hex');
  return {
    ...headers,
    authorization: `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** In hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

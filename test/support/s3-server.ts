import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one request instead of what the protocol says. */
export type S3Fault =
  /** An answer of the store's own. */
  | { readonly status: number; readonly code: string }
  /** The connection is cut before the body is read, or in the middle of an answer with bytes. */
  | 'cut'
  /** All of an object is given where a part was asked for. */
  | 'whole'
  /** It is never answered. */
  | 'stall';

export interface S3Server {
  /** For FILES_URL, with its credentials. */
  readonly filesUrl: URL;
  /** By bucket and key. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Method and path of each request whose signature was right, faulty ones too. */
  readonly requests: readonly string[];
  /** The next requests of this method meet these, one each. */
  fail(method: 'GET' | 'PUT' | 'DELETE', ...faults: readonly S3Fault[]): void;
  stop(): Promise<void>;
}

const KEY_ID = 'AKIDEXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const REGION = 'eu-west-1';
const BUCKET = 'bucket';

class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const hashOf = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/**
 * A bucket in memory that believes nothing: it recomputes the signature of each request (docs.aws.amazon.com/AmazonS3: "Signature Calculations
 * for the Authorization Header") and the hash of each body.
 */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const faults = new Map<string, S3Fault[]>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '' } = request;
    checkSignature(request);
    requests.push(`${method} ${path}`);
    const fault = faults.get(method)?.shift();
    if (fault === 'stall') return;
    if (fault === 'cut' && method !== 'GET') return void request.socket.destroy();
    if (typeof fault === 'object') throw new Refused(fault.status, fault.code);
    if (!path.startsWith(`/${BUCKET}/`)) throw new Refused(404, 'NoSuchBucket');
    if (method === 'PUT') {
      objects.set(path, await bodyOf(request));
      response.writeHead(200).end();
    } else if (method === 'GET' || method === 'HEAD') {
      const bytes = objects.get(path);
      if (!bytes) throw new Refused(404, 'NoSuchKey');
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const asked = from > 0 && fault !== 'whole' ? bytes.subarray(from) : bytes;
      response.writeHead(asked === bytes ? 200 : 206, { 'content-length': asked.length });
      if (method === 'HEAD') return void response.end();
      if (fault === 'cut') response.write(asked.subarray(0, asked.length / 2), () => request.socket.destroy());
      else response.end(asked);
    } else {
      objects.delete(path);
      response.writeHead(204).end();
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      const { status, code } = error instanceof Refused ? error : new Refused(500, 'InternalError');
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Said so by the test.</Message></Error>`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    filesUrl: new URL(`s3://${KEY_ID}:${encodeURIComponent(SECRET)}@${BUCKET}/pre/fix?region=${REGION}&endpoint=${endpoint}`),
    objects,
    requests,
    fail: (method, ...next) => faults.set(method, [...(faults.get(method) ?? []), ...next]),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** As it was announced, in one piece and unchanged. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (length === undefined || coding !== undefined) throw new Refused(411, 'MissingContentLength');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (hashOf(bytes) !== request.headers['x-amz-content-sha256']) throw new Refused(400, 'XAmzContentSHA256Mismatch');
  return bytes;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
const MUST_BE_SIGNED = ['host', 'x-amz-content-sha256', 'x-amz-date'];

function checkSignature({ method, url = '', headers }: IncomingMessage): void {
  const [, keyId, day, region, signed = '', signature] = AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined) throw new Refused(403, 'AccessDenied');
  if (keyId !== KEY_ID) throw new Refused(403, 'InvalidAccessKeyId');
  if (region !== REGION) throw new Refused(400, 'AuthorizationHeaderMalformed');
  const names = signed.split(';');
  if (!MUST_BE_SIGNED.every((name) => names.includes(name))) throw new Refused(403, 'AccessDenied');
  const at = String(headers['x-amz-date']);
  if (!at.startsWith(String(day))) throw new Refused(403, 'SignatureDoesNotMatch');
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = `${method}\n${url}\n\n${lines}\n${signed}\n${headers['x-amz-content-sha256']}`;
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const signingKey = hmac(hmac(hmac(hmac(`AWS4${SECRET}`, String(day)), REGION), 's3'), 'aws4_request');
  const text = `AWS4-HMAC-SHA256\n${at}\n${day}/${REGION}/s3/aws4_request\n${hashOf(canonical)}`;
  if (hmac(signingKey, text).toString('hex') !== signature) throw new Refused(403, 'SignatureDoesNotMatch');
}

import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import { Refusal } from '../../domain/errors.ts';

/** Refuses what programs between the caller and here may understand in different ways. */
export function plainRequest(): Koa.Middleware {
  return (ctx, next) => {
    const { req } = ctx;
    const hosts = countOf(req, 'host');
    // RFC 9112 3.2.
    if (hosts > 1) throw new Refusal('malformed_request', 'more than one Host header');
    if (hosts === 0 && req.httpVersion === '1.1') throw new Refusal('malformed_request', 'a Host header is required');
    // RFC 9112 6.1: one that is not undone here would be read as the body itself.
    const coding = req.headers['transfer-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      throw new Refusal('malformed_request', 'no Transfer-Encoding but chunked is understood');
    }
    if (req.headers.expect !== undefined && !expectsContinue(req)) {
      throw new Refusal('expectation_failed', 'no Expect but 100-continue is understood');
    }
    return next();
  };
}

/** Whether the caller waits for a word before it sends the body: RFC 9110 10.1.1. */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue';
}

function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count++;
  return count;
}

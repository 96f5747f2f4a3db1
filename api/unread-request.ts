import { v7 as uuidv7 } from 'uuid';
import { type ErrorCode, STATUS_OF } from '../domain/errors.ts';
import type { WholeAnswer } from '../platform/http-connection.ts';

/** Of every answer: RFC 9111 5.2.2.5. What may be kept, and what has a type to guess at, says so itself. */
export const ANSWER_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the address and the headers are larger than 16 KB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'the extensions of a chunk are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not come in time'],
};
const MALFORMED: readonly [ErrorCode, string] = ['malformed_request', 'the request is malformed'];

/** What is answered to bytes that Node's parser (by the code of its error) makes no request of. */
export function answerUnread(parserCode: string | undefined): WholeAnswer {
  const [code, message] = (Object.hasOwn(REFUSALS, parserCode ?? '') && REFUSALS[parserCode ?? '']) || MALFORMED;
  return {
    status: STATUS_OF[code],
    headers: { ...ANSWER_HEADERS, 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': uuidv7() },
    body: JSON.stringify({ ok: false, error: message, code }),
  };
}

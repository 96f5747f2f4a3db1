import * as z from 'zod';

/** What a JSON-RPC 2.0 error says went wrong: https://www.jsonrpc.org/specification, section 5.1. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
} as const;

export type RpcCode = keyof typeof RPC_CODES;

const RpcId = z.union([z.string(), z.number()]);

/** A request; without an id it is a notification, which gets no answer. */
const Call = z.object({
  jsonrpc: z.literal('2.0'),
  id: RpcId.optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});
const Reply = z.object({ jsonrpc: z.literal('2.0'), id: RpcId.nullish(), result: z.unknown().optional(), error: z.unknown().optional() });

export type RpcCall = z.output<typeof Call>;

/** An error that is answered in place of a result. The message is public. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The call in a message; undefined for an answer of the client, of which nothing is asked here. Throws RpcError for what is neither. */
export function readMessage(message: unknown): RpcCall | undefined {
  if (Array.isArray(message)) throw new RpcError('invalidRequest', 'one message a request: batches are not part of this protocol version');
  const call = Call.safeParse(message);
  if (call.success) return call.data;
  const hasMethod = typeof message === 'object' && message !== null && 'method' in message;
  if (!hasMethod && Reply.safeParse(message).success) return undefined;
  throw new RpcError('invalidRequest', 'the body is no JSON-RPC 2.0 message');
}

/** The answer of a call that was done. */
export function resultMessage(id: RpcCall['id'], result: object): object {
  return { jsonrpc: '2.0', id, result };
}

/** The answer of a call that was not; `id` undefined: the message could not be read so far. */
export function errorMessage(id: RpcCall['id'], { code, message }: RpcError): object {
  return { jsonrpc: '2.0', id: id ?? null, error: { code: RPC_CODES[code], message } };
}

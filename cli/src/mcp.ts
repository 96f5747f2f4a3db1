import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where the tools are, and what they may do. */
export interface McpOptions {
  /** Of the server, like `http://127.0.0.1:3000`, with or without `/api/v1`. */
  readonly url: string;
  readonly apiKey: string;
  /** The tools that send, or change what people get, are there too. */
  readonly allowSend: boolean;
  /** Aborted when it is to end before its input does. */
  readonly ending?: AbortSignal;
  /** Standard input when omitted. */
  readonly input?: Readable;
  /** Standard output when omitted: nothing else may be written there. */
  readonly output?: Writable;
}

type Id = string | number;
interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly requestId?: Id };
}

/** Of a call that was refused for its rate: nothing of it was done. */
const MOST_TRIES = 3;
const LONGEST_WAIT_SECONDS = 60;

/** https://www.jsonrpc.org/specification, 5.1; -32000 is the first of those that a server may define. */
const PARSE_ERROR = -32700;
const NOT_ANSWERED = -32000;

/**
 * An MCP server on standard input and output, one JSON-RPC message a line: each goes to /mcp of the server, and its answer comes back. It knows no tool by
 * itself. Ends when its input does and everything is answered, or at once when `ending` says so: nobody reads the answers then.
 */
export async function runMcp({
  url,
  apiKey,
  allowSend,
  ending,
  input = process.stdin,
  output = process.stdout,
}: McpOptions): Promise<void> {
  const address = `${url.replace(/(?:\/api\/v1)?\/*$/, '')}/mcp`;
  const underWay = new Map<Id, AbortController>();
  const pending = new Set<Promise<void>>();
  let protocolVersion: string | undefined;

  const write = (message: object): void => void output.write(`${JSON.stringify(message)}\n`);
  const fail = (id: Id | null, code: number, message: string): void => write({ jsonrpc: '2.0', id, error: { code, message } });

  const post = async (line: string, signal: AbortSignal): Promise<{ status: number; text: string }> => {
    for (let tries = 1; ; tries++) {
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }),
          ...(allowSend ? { 'everpost-allow-send': 'true' } : {}),
        },
        body: line,
        redirect: 'error',
        signal,
      });
      const text = await response.text();
      const seconds = response.status === 429 ? Number(response.headers.get('retry-after') ?? 1) : limitedFor(text);
      if (seconds === undefined || tries === MOST_TRIES || seconds > LONGEST_WAIT_SECONDS) return { status: response.status, text };
      // Calls that were refused together do not all come back together.
      await sleep(seconds * 1000 * (1 + Math.random()), undefined, { signal });
    }
  };

  const forward = async (line: string, { id, method }: Message): Promise<void> => {
    const controller = new AbortController();
    if (id !== undefined) underWay.set(id, controller);
    try {
      const { status, text } = await post(line, controller.signal);
      if (id === undefined || controller.signal.aborted) return;
      const answer = readAnswer(text);
      if (answer && ('result' in answer || 'error' in answer) && 'jsonrpc' in answer) {
        if (method === 'initialize') protocolVersion = versionOf(answer) ?? protocolVersion;
        write(answer);
      } else fail(id, NOT_ANSWERED, refusalWords(status, answer));
    } catch (error) {
      if (id !== undefined && !controller.signal.aborted)
        fail(id, NOT_ANSWERED, `${address} cannot be reached: ${causeOf(error)}. Is Everpost running there?`);
    } finally {
      if (id !== undefined) underWay.delete(id);
    }
  };

  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, ...(ending && { signal: ending }) })) {
    if (line.trim() === '') continue;
    const message = readAnswer(line) as Message | undefined;
    if (!message) {
      fail(null, PARSE_ERROR, 'a line is one JSON-RPC message');
      continue;
    }
    // The server keeps nothing of a call by which it could be cancelled: its answer is not waited for.
    const { requestId } = message.params ?? {};
    if (message.method === 'notifications/cancelled' && requestId !== undefined) underWay.get(requestId)?.abort();
    const done = forward(line, message);
    pending.add(done);
    void done.finally(() => pending.delete(done));
  }
  if (ending?.aborted) for (const controller of underWay.values()) controller.abort();
  await Promise.all(pending);
}

function readAnswer(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** After how many seconds a tool that was refused for its rate may be called again; undefined for any other answer. Words of the server alone count. */
function limitedFor(text: string): number | undefined {
  const { result } = (readAnswer(text) ?? {}) as { readonly result?: ToolResult };
  if (result?.isError !== true) return undefined;
  const [, seconds] = LIMITED.exec(result.structuredContent?.says?.[0] ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
const LIMITED = /^Refused: rate_limited\. It may be tried again after (\d+) s\./;

interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: { readonly says?: readonly string[] };
}

function versionOf(answer: object): string | undefined {
  const { result } = answer as { readonly result?: { readonly protocolVersion?: string } };
  return result?.protocolVersion;
}

/** What the API says of a call that it did not take for a message. */
function refusalWords(status: number, answer: object | undefined): string {
  const { code, error } = (answer ?? {}) as { readonly code?: string; readonly error?: unknown };
  return typeof error === 'string' ? `${code ?? status}: ${error}` : `answered with status ${status}: is this the address of Everpost?`;
}

function causeOf(error: unknown): string {
  const { cause, message } = error as { readonly cause?: { readonly message?: string }; readonly message: string };
  return cause?.message ?? message;
}

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { isFromOwnOrigin } from './own-origin.ts';
import { type Endpoint, portError } from './ports.ts';

export interface TemporalWeb {
  close(): Promise<void>;
}

/** Of one connection only: they do not go on to the next. RFC 9110 7.6.1. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/**
 * Temporal Web where people open it. The server's own page answers whoever asks, under any name, and can terminate every workflow: this lets
 * the page itself and programs on this machine through to it, and no other site in the user's browser. `target`: where it listens, or will.
 * `answerWithinMs`: 10 s when omitted.
 */
export async function startTemporalWeb({
  port,
  target,
  answerWithinMs = 10_000,
}: {
  readonly port: number;
  readonly target: Endpoint;
  readonly answerWithinMs?: number;
}): Promise<TemporalWeb> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((asked, answer) => {
    if (!isFromOwnOrigin(asked.headers)) return refuse(answer, 403, 'Temporal Web answers its own page only');
    const onward = request({ agent, ...target, method: asked.method, path: asked.url, headers: passedOn(asked) });
    const patience = setTimeout(() => {
      refuse(answer, 504, 'the Temporal server does not answer');
      onward.destroy();
    }, answerWithinMs);
    onward.once('response', (answered) => {
      clearTimeout(patience);
      answer.writeHead(answered.statusCode ?? 502, passedOn(answered));
      answered.pipe(answer);
      answered.once('error', () => answer.destroy());
    });
    onward.once('error', () => {
      if (answer.writableEnded) return;
      if (answer.headersSent) answer.destroy();
      else refuse(answer, 502, 'the Temporal server is away just now');
    });
    answer.once('close', () => {
      clearTimeout(patience);
      onward.destroy();
    });
    asked.pipe(onward);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portError('TEMPORAL_UI_PORT', port, '127.0.0.1', error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a message has for the other end, without what would let other origins read it. */
function passedOn({ headers }: IncomingMessage): Record<string, string | string[] | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name) && !name.startsWith('access-control-')));
}

function refuse(answer: ServerResponse, status: number, reason: string): void {
  answer.writeHead(status, { 'content-type': 'text/plain' }).end(`${reason}\n`);
}

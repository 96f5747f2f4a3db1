import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { isFromOwnOrigin } from './own-origin.ts';
import { portError } from './ports.ts';

export interface TemporalWeb {
  close(): Promise<void>;
}

/** Of one connection only: they do not go on to the next. RFC 9110 7.6.1. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/**
 * Temporal Web where people open it. The server's own page answers whoever asks, under any name, and can terminate every workflow: this lets
 * the page itself and programs on this machine through to it, and no other site in the user's browser. `target`: its port of 127.0.0.1, where
 * nobody needs to be yet.
 */
export async function startTemporalWeb({ port, target }: { readonly port: number; readonly target: number }): Promise<TemporalWeb> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((asked, answer) => {
    if (!isFromOwnOrigin(asked.headers)) return refuse(answer, 403, 'Temporal Web answers its own page only');
    const onward = request({ agent, port: target, host: '127.0.0.1', method: asked.method, path: asked.url, headers: passedOn(asked) });
    onward.once('response', (answered) => {
      answer.writeHead(answered.statusCode ?? 502, passedOn(answered));
      answered.pipe(answer);
      answered.once('error', () => answer.destroy());
    });
    onward.once('error', () => (answer.headersSent ? answer.destroy() : refuse(answer, 502, 'the Temporal server is away just now')));
    answer.once('close', () => onward.destroy());
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

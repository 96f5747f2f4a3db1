import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer, or what happens instead of one after the request was read. */
export type HttpReaction =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  | 'hang up'
  | 'silence';

export interface HttpDouble {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  close(): Promise<void>;
}

/** An HTTP API that answers each request as the script says. */
export async function httpDouble(
  script: (request: ReceivedRequest, count: number) => HttpReaction | Promise<HttpReaction>,
): Promise<HttpDouble> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // The client went before the end: no request.
      return;
    }
    const request = { path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    const reaction = await script(request, requests.length);
    if (reaction === 'hang up') incoming.socket.destroy();
    else if (reaction !== 'silence')
      response.writeHead(reaction.status, { 'content-type': 'application/json', ...reaction.headers }).end(reaction.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A port of this machine on which nobody listens. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

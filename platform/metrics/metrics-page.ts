import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';
import { listen } from '../http-server.ts';
import type { Logger } from '../logger.ts';

export interface MetricsPage {
  close(): Promise<void>;
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

/**
 * Answers GET /metrics on METRICS_PORT with what `text` gives; undefined when the variable is not set. Throws ConfigError when the port is in
 * use or not allowed.
 */
export async function serveMetrics(
  { metricsPort: port, host }: Pick<Config, 'metricsPort' | 'host'>,
  log: Logger,
  text: () => Promise<string>,
): Promise<MetricsPage | undefined> {
  if (port === undefined) return undefined;
  const server = await listen(
    (request, response) => {
      request.resume();
      if (request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404, PLAIN).end('the metrics are at /metrics\n');
        return;
      }
      text().then(
        (page) => response.writeHead(200, { ...PLAIN, 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(page),
        (error: unknown) => {
          log.error('metrics.failed', { error });
          response.writeHead(500, PLAIN).end('the metrics cannot be read: the log says why\n');
        },
      );
    },
    { port, host, portVariable: 'METRICS_PORT', answerUnread: () => ({ status: 400, headers: PLAIN, body: 'malformed request\n' }) },
  );
  log.info('metrics.served', { port: (server.address() as AddressInfo).port });
  return { close: () => server.drain() };
}

import { type ConnectionUse, connectionUse } from '../../db/connection-use.ts';
import type { MikroORM } from '../../db/orm.ts';
import type { Metrics } from './metrics.ts';

/** `part`: the program whose connections to PostgreSQL these are. */
export function watchConnections(metrics: Metrics, part: 'api' | 'worker' | 'smtp', orm: MikroORM): void {
  const gauge = (name: string, help: string, value: (use: ConnectionUse) => number): void =>
    metrics.watch({ name, help, labels: ['part', 'pool'], type: 'gauge' }, async () =>
      (await connectionUse(orm)).map((use) => ({ labels: { part, pool: use.pool }, value: value(use) })),
    );
  gauge('everpost_db_connections_max', 'Connections to PostgreSQL that a pool may have', ({ most }) => most);
  gauge('everpost_db_connections_open', 'Connections to PostgreSQL that are open', ({ open }) => open);
  gauge('everpost_db_connections_busy', 'Connections to PostgreSQL that are in use', ({ open, idle }) => open - idle);
  gauge('everpost_db_requests_waiting', 'Statements and transactions that wait for a connection', ({ waiting }) => waiting);
}

import type Koa from 'koa';
import type { MikroORM } from '../db/orm.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { KeyLookup } from './admission.ts';
import type { RateLimit } from './middleware/rate-limit.ts';
import type { ApiServices } from './route.ts';

/** What the HTTP side needs besides the services that handlers use. */
export interface AppGiven {
  readonly orm: MikroORM;
  readonly services: ApiServices;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'requestAnswered'>;
  readonly rateLimit: RateLimit | undefined;
  readonly trustedProxies: readonly string[] | undefined;
  /** How long a request may take: REQUEST_SECONDS when omitted. */
  readonly requestSeconds?: number;
}

export interface AppOptions extends AppGiven {
  readonly authenticate: KeyLookup;
}

/** Set on every request before anything else runs. */
export interface RequestState extends Koa.DefaultState {
  requestId: string;
  /** It came by the path of the console: a session stands for the key, and no key is read. */
  isOfConsole?: boolean;
  /** Aborted when the request was answered for taking too long. */
  deadline: AbortSignal;
  /** So many seconds from now on, in place of the usual limit. */
  mayTake: (seconds: number) => void;
}

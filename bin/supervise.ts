import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '../platform/logger.ts';
import type { MetricFamily, Metrics } from '../platform/metrics/metrics.ts';
import { pageOfProcesses } from '../platform/metrics/processes.ts';
import { fail, problemText, type Running, type Surroundings } from './run.ts';

/** What a process tells its supervisor before it ends because it could not start. */
interface StartFailure {
  readonly cannotStart: string;
}

/** Asked of a process, and answered, under one number. */
interface MetricsAsked {
  readonly metricsAsked: number;
}
interface MetricsTold {
  readonly metricsTold: number;
  readonly families: readonly MetricFamily[];
}

/** How a process ended. */
interface End {
  readonly about: { readonly name: string; readonly pid: number | undefined };
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not start. */
  readonly reason: string | undefined;
  /** It died at once. */
  readonly isEarly: boolean;
}

/** The processes that this one watches over. */
export interface Supervisor extends Running {
  /** The metrics of all that serve, each with the label `process`: 1 to `count`, where whoever replaces one has its number. */
  metricsPage(): Promise<string>;
}

const STOP = 'stop';
/** One that does not answer by then is left out. */
const METRICS_PATIENCE_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A process that has lived for this long did not die at once. */
const STEADY_MS = 60_000;

/**
 * Runs this program in `count` processes that share their ports; this one only watches over them. One that dies is replaced, after a pause
 * that doubles while it dies soon each time. One that cannot start is replaced as well while another one serves; while none does, all
 * end and its reason is the failure. When this process is killed, the others end in order.
 */
export function supervise(count: number, log: Logger): Supervisor {
  const living = new Set<Worker>();
  /** With the place of each among the `count`. */
  const serving = new Map<Worker, number>();
  const pauses = new Set<NodeJS.Timeout>();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const allEnded = Promise.withResolvers<void>();
  let stopping = false;
  let inOrder = true;

  const occupy = (place: number, earlyDeaths: number): void => {
    const worker = launch(log, {
      serves: () => serving.set(worker, place),
      ended: (end) => {
        living.delete(worker);
        const served = serving.delete(worker);
        if (stopping) {
          if (served && end.code !== 0) inOrder = false;
          if (living.size === 0) allEnded.resolve();
        } else if (end.reason !== undefined && serving.size === 0) {
          stopping = true;
          reject(Object.assign(new Error(end.reason), { plain: true }));
        } else replace(place, end, end.isEarly ? earlyDeaths + 1 : 0);
      },
    });
    living.add(worker);
  };
  const replace = (place: number, { about, code, signal, reason }: End, earlyDeaths: number): void => {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** earlyDeaths);
    log.error('process.ended', { ...about, code, signal, replacedInMs: pauseMs, ...(reason === undefined ? {} : { reason }) });
    const pause = setTimeout(() => {
      pauses.delete(pause);
      occupy(place, earlyDeaths);
    }, pauseMs);
    pauses.add(pause);
  };

  for (let place = 1; place <= count; place++) occupy(place, 0);
  // A second signal ends this process at once; they are not left to themselves.
  process.once('exit', () => {
    if (stopping) for (const worker of living) worker.process.kill('SIGKILL');
  });
  return {
    failed,
    async metricsPage() {
      const told = [...serving].map(async ([worker, place]) => ({ place, families: await familiesOf(worker) }));
      return pageOfProcesses(await Promise.all(told));
    },
    async stop() {
      if (!stopping) log.info('process.stopping', { processes: living.size });
      stopping = true;
      for (const pause of pauses) clearTimeout(pause);
      for (const worker of living) tell(worker, STOP);
      if (living.size > 0) await allEnded.promise;
      if (!inOrder) throw new Error('a process did not end in order');
    },
  };
}

/** Starts one process, and says when it serves and how it ended. */
function launch(log: Logger, { serves, ended }: { serves(): void; ended(end: End): void }): Worker {
  const launchedAt = Date.now();
  const worker = cluster.fork();
  const about = { name: processName(worker), pid: worker.process.pid };
  let reason: string | undefined;
  worker.on('message', (message: StartFailure | MetricsTold) => {
    if ('cannotStart' in message) reason = message.cannotStart;
  });
  // One that could not be started at all ends like the others: its `close` follows.
  worker.on('error', (error) => log.error('process.failed', { ...about, error }));
  worker.once('listening', () => {
    serves();
    log.info('process.serves', about);
  });
  // Not `exit`, which may come before the last message.
  worker.process.once('close', (code, signal) => ended({ about, code, signal, reason, isEarly: Date.now() - launchedAt < STEADY_MS }));
  return worker;
}

/** Calls `gone` when it has ended, of which this process may not know yet: then nothing went wrong, its `close` follows. */
function tell(worker: Worker, message: typeof STOP | MetricsAsked, gone: () => void = () => {}): void {
  if (!worker.isConnected()) gone();
  else worker.send(message, (error) => error && gone());
}

let lastAsked = 0;

/** None when it does not answer. */
function familiesOf(worker: Worker): Promise<readonly MetricFamily[]> {
  const metricsAsked = ++lastAsked;
  return new Promise((resolve) => {
    const end = (families: readonly MetricFamily[]): void => {
      clearTimeout(patience);
      worker.off('message', answered);
      resolve(families);
    };
    const answered = (message: StartFailure | MetricsTold): void => {
      if ('metricsTold' in message && message.metricsTold === metricsAsked) end(message.families);
    };
    const patience = setTimeout(() => end([]), METRICS_PATIENCE_MS);
    worker.on('message', answered);
    tell(worker, { metricsAsked }, () => end([]));
  });
}

/** A process under `supervise` tells its supervisor what it has counted whenever it is asked. */
export function tellMetrics(metrics: Pick<Metrics, 'families'>): void {
  process.on('message', (message: typeof STOP | MetricsAsked) => {
    if (typeof message !== 'object') return;
    const { metricsAsked } = message;
    // Whoever does not answer is left out.
    metrics.families().then(
      // A supervisor that was killed meanwhile is found gone by the end of the channel.
      (families) => process.connected && process.send!({ metricsTold: metricsAsked, families } satisfies MetricsTold, () => {}),
      () => undefined,
    );
  });
}

/** A process under `supervise` ends in order when it is told to or left alone, and its supervisor says what kept it from starting. */
export const supervised: Surroundings = {
  onStop(stop) {
    // Otherwise the end of the channel ends this process on the spot.
    cluster.worker!.exitedAfterDisconnect = true;
    process.on('message', (message) => {
      if (message === STOP) stop();
    });
    process.once('disconnect', stop);
  },
  fail(error) {
    if (!process.connected) fail(error);
    const failure: StartFailure = { cannotStart: problemText(error) };
    process.send!(failure, () => process.exit(1));
  },
};

/** As it stands in every log line: `api-3` is the third process that this start of the API has had. */
export function processName(worker: Worker | undefined = cluster.worker): string {
  return worker ? `api-${worker.id}` : 'api';
}

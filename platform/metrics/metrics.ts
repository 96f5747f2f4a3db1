import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { SendFailure, SourceType } from '../../domain/sends/send.ts';
import type { ProviderAnswer } from '../mail/provider.ts';

/** How a send ended; `put_off`: surely nobody took it and it is tried again later, so it may be counted again. */
export type SendEnd = 'sent' | 'put_off' | SendFailure;

/** A request that was answered. Never with its path: the series must stay few. */
export interface AnsweredRequest {
  readonly method: string;
  /** As it was declared, like /api/v1/contacts/:id. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** What is not counted as it happens but read whenever the page is asked for. */
export interface Watched {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly type: 'gauge' | 'counter';
}

/** One value with its labels. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type MetricFamily = MetricObjectWithValues<MetricValue<string>>;

/** What is counted and measured in this process. Each part gets only what it tells. */
export interface Metrics {
  requestAnswered(request: AnsweredRequest): void;
  /** A message at the SMTP entrance; `code`: of the answer. */
  messageAnswered(code: number): void;
  sendEnded(of: { readonly source: SourceType; readonly provider: string }, end: SendEnd): void;
  /** `by`: what stood in the way. */
  sendRefused(source: SourceType, by: string): void;
  /** Sends of which a crash left no outcome. */
  sendsLeftUnknown(count: number): void;
  campaignsUnbalanced(count: number): void;
  submissionTried(provider: string, outcome: ProviderAnswer['outcome'], seconds: number): void;
  webhookAttempted(outcome: string, seconds: number): void;
  webhookNodeCalled(outcome: string): void;
  /** Bytes whose time is over, and which are gone from the object store. */
  filesRemoved(bytes: number): void;
  /** No sample where it reads nothing. What several read of one name is added up where the labels are the same. */
  watch(what: Watched, read: () => Promise<readonly Reading[]>): void;
  /** Text of another origin in the same format, which has no names of ours. */
  append(text: () => Promise<string>): void;
  /** In the text format of Prometheus. Never rejects for one source that cannot be read. */
  page(): Promise<string>;
  /** The same as data, without what was appended. */
  families(): Promise<readonly MetricFamily[]>;
}

const REQUEST_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const SUBMISSION_SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ATTEMPT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** `ofProcess`: also memory, CPU, garbage collection and the lag of the event loop. */
export function createMetrics({ ofProcess = false }: { readonly ofProcess?: boolean } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const watched = new Map<string, (() => Promise<readonly Reading[]>)[]>();
  const appended: (() => Promise<string>)[] = [];
  return {
    ...countRequests(registers),
    ...countMessages(registers),
    ...countSends(registers),
    ...countWebhooks(registers),
    ...countFiles(registers),
    watch({ name, help, labels, type }, read) {
      const known = watched.get(name);
      if (known) {
        known.push(read);
        return;
      }
      const reads = [read];
      watched.set(name, reads);
      const Kind = type === 'gauge' ? Gauge : Counter;
      new Kind({
        name,
        help,
        labelNames: [...labels],
        registers,
        async collect(this: Gauge | Counter) {
          const readings = (await Promise.all(reads.map((one) => one().catch(() => [])))).flat();
          this.reset();
          // Without labels it would be 0.
          if (labels.length === 0) this.remove();
          for (const { labels: of, value } of readings) this.inc(of, value);
        },
      });
    },
    append: (text) => appended.push(text),
    async page() {
      const texts = await Promise.all([registry.metrics(), ...appended.map((text) => text())]);
      return texts.join('\n');
    },
    families: () => registry.getMetricsAsJSON(),
  };
}

function countRequests(registers: Registry[]): Pick<Metrics, 'requestAnswered'> {
  const requests = new Counter({
    name: 'everpost_http_requests_total',
    help: 'Requests that were answered',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'everpost_http_request_seconds',
    help: 'From a request to its answer',
    labelNames: ['method', 'route'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });
  return {
    requestAnswered({ method, route, status, seconds }) {
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, seconds);
    },
  };
}

function countMessages(registers: Registry[]): Pick<Metrics, 'messageAnswered'> {
  const messages = new Counter({
    name: 'everpost_smtp_messages_total',
    help: 'Messages at the SMTP entrance that were answered',
    labelNames: ['code'] as const,
    registers,
  });
  return { messageAnswered: (code) => messages.inc({ code }) };
}

type SendCounts = 'sendEnded' | 'sendRefused' | 'sendsLeftUnknown' | 'campaignsUnbalanced' | 'submissionTried';

function countSends(registers: Registry[]): Pick<Metrics, SendCounts> {
  const sends = new Counter({
    name: 'everpost_sends_total',
    help: 'Mails by how they ended',
    labelNames: ['source', 'provider', 'outcome'] as const,
    registers,
  });
  const refused = new Counter({
    name: 'everpost_sends_refused_total',
    help: 'Mails that were refused when they were to go, by what stood in the way',
    labelNames: ['source', 'by'] as const,
    registers,
  });
  const leftUnknown = new Counter({
    name: 'everpost_sends_left_in_doubt_total',
    help: 'Mails that a crash left without an outcome, settled as outcome_unknown',
    registers,
  });
  const unbalanced = new Counter({
    name: 'everpost_campaigns_unbalanced_total',
    help: 'Campaigns whose counts did not add up to their recipients, each time that they were looked at',
    registers,
  });
  const submissions = new Histogram({
    name: 'everpost_hand_over_seconds',
    help: 'Tries to hand a mail to the provider, waiting for a connection included',
    labelNames: ['provider', 'outcome'] as const,
    buckets: SUBMISSION_SECONDS,
    registers,
  });
  return {
    sendEnded: ({ source, provider }, outcome) => sends.inc({ source, provider, outcome }),
    sendRefused: (source, by) => refused.inc({ source, by }),
    sendsLeftUnknown: (count) => leftUnknown.inc(count),
    campaignsUnbalanced: (count) => unbalanced.inc(count),
    submissionTried: (provider, outcome, seconds) => submissions.observe({ provider, outcome }, seconds),
  };
}

function countWebhooks(registers: Registry[]): Pick<Metrics, 'webhookAttempted' | 'webhookNodeCalled'> {
  const attempts = new Histogram({
    name: 'everpost_webhook_attempt_seconds',
    help: 'Calls of webhook endpoints for a delivery',
    labelNames: ['outcome'] as const,
    buckets: ATTEMPT_SECONDS,
    registers,
  });
  const nodeCalls = new Counter({
    name: 'everpost_webhook_node_calls_total',
    help: 'Calls of webhook nodes of sequences by how they were answered',
    labelNames: ['outcome'] as const,
    registers,
  });
  return {
    webhookAttempted: (outcome, seconds) => attempts.observe({ outcome }, seconds),
    webhookNodeCalled: (outcome) => nodeCalls.inc({ outcome }),
  };
}

function countFiles(registers: Registry[]): Pick<Metrics, 'filesRemoved'> {
  const removed = new Counter({ name: 'everpost_file_bytes_removed_total', help: 'Bytes of files whose time was over', registers });
  return { filesRemoved: (bytes) => removed.inc(bytes) };
}

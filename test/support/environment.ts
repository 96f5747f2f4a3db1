import { fileURLToPath } from 'node:url';

/** Where the servers are that globalSetup has started for all test files. */
export interface TestEnvironment {
  /** Base of the shared API, without a trailing slash. */
  readonly apiUrl: string;
  /** Takes every webhook. */
  readonly receiverUrl: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly temporalBinary: string;
  /** Of a name server that knows no name. */
  readonly nameServer: string;
  readonly smtpUrl: string;
  /** HTTP control of the SMTP sink. */
  readonly sinkUrl: string;
  /** base64 */
  readonly secretKey: string;
  /** For files of a test; removed at the end of the run. */
  readonly scratchDir: string;
}

const VARIABLE = 'EVERPOST_TEST_ENVIRONMENT';

/** Handed to the processes that run the test files. */
export function publishEnvironment(environment: TestEnvironment): void {
  process.env[VARIABLE] = JSON.stringify(environment);
}

export function testEnvironment(): TestEnvironment {
  const text = process.env[VARIABLE];
  if (!text) throw new Error('the test servers are not running: start the tests with npm test');
  return JSON.parse(text) as TestEnvironment;
}

/** Makes every program that the tests start keep what Node has compiled: each takes a second of a core less to start. */
export function keepCompiled(): void {
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/everpost/compiled', import.meta.url));
}

/** Makes the Temporal server, which is written in Go, collect its garbage a quarter as often: that takes a tenth of its time. */
export function collectSeldom(): void {
  process.env.GOGC = '400';
}

/** What any program needs, and nothing that Everpost is told. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}

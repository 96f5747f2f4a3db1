import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalBinary } from '../../local/temporal-binary.ts';
import { clusterTemporal } from '../../local/temporal-build.ts';
import { processConfig } from '../../platform/config.ts';
import { keepCompiled, publishEnvironment } from '../support/environment.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';

const progress = (line: string): void => void process.stderr.write(`${line}\n`);
const started: (() => Promise<unknown>)[] = [];

/** What lives longer than anything that the test kills: the programs of Temporal, and the mail server. */
export default async function setUp(): Promise<() => Promise<void>> {
  keepCompiled();
  const config = processConfig();
  const temporalCli = await temporalBinary(config, progress);
  await clusterTemporal(config.userCacheDir, progress);
  const scratchDir = await mkdtemp(join(tmpdir(), 'everpost-cluster-'));
  started.push(() => rm(scratchDir, { recursive: true, force: true }));
  const sink = await startSmtpSink();
  started.push(() => sink.stop());
  publishEnvironment({
    // Of the cluster; the test says where.
    ...{ apiUrl: '', receiverUrl: '', databaseUrl: '', temporalAddress: '', nameServer: '' },
    temporalBinary: temporalCli,
    smtpUrl: sink.smtpUrl,
    sinkUrl: sink.controlUrl,
    secretKey: randomBytes(32).toString('base64'),
    scratchDir,
  });
  return tearDown;
}

async function tearDown(): Promise<void> {
  for (const end of started.splice(0).toReversed()) await end();
}

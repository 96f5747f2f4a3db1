import { startSmtp } from '../../bin/smtp.ts';
import { readConfig, requireReady } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { afterFile } from './after-file.ts';
import { type SmtpDoor, smtpSettings } from './smtp-process.ts';

/**
 * The SMTP entrance in this process, beside the shared API, with these variables besides: a process of its own takes two seconds of a core to
 * start. Stopped after the test file.
 */
export async function startSmtpHere(env: Readonly<Record<string, string>> = {}): Promise<SmtpDoor> {
  const { port, spool, settings } = await smtpSettings(env);
  const running = await startSmtp(requireReady(readConfig(settings)), createLogger('silent'), createMetrics());
  afterFile(() => running.stop());
  return { port, spool };
}

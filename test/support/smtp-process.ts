import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { afterFile } from './after-file.ts';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';
import { TEST_SETTINGS } from './everpost.ts';
import { spawnProgram } from './everpost-process.ts';

/** An SMTP entrance beside the shared API. */
export interface SmtpDoor {
  readonly port: number;
  /** Where its messages are while they are under way. */
  readonly spool: string;
}

/** `npm run smtp`. */
export interface SmtpProcess extends SmtpDoor {
  program: GuardedProcess;
  /** Starts again on the same port and data. */
  start(): Promise<void>;
}

/** What a client was told of its message. */
export interface Told {
  readonly code: number;
  readonly text: string;
}

/** Stopped after the test file. */
export async function startSmtpProcess(env: Readonly<Record<string, string>> = {}): Promise<SmtpProcess> {
  const { folder, port, spool, settings } = await smtpSettings(env);
  const launch = async (): Promise<GuardedProcess> => {
    const program = spawnProgram('smtp', folder, settings);
    await eventually(
      () => {
        if (!program.running) throw new Error(`smtp ended\n${program.lastLines(15)}`);
        return program.lastLines(1_000).includes('"smtp.started"');
      },
      { timeoutMs: 150_000 },
    );
    return program;
  };
  const smtp: SmtpProcess = {
    ...{ port, spool },
    program: await launch(),
    async start() {
      smtp.program = await launch();
    },
  };
  afterFile(() => smtp.program.stop());
  return smtp;
}

/** What an entrance beside the shared API is told, with these variables besides. */
export async function smtpSettings(env: Readonly<Record<string, string>>) {
  const { databaseUrl, temporalAddress, secretKey, smtpUrl, apiUrl, scratchDir } = testEnvironment();
  const folder = await mkdtemp(join(scratchDir, 'smtp-'));
  const port = await freePort();
  const settings = {
    ...TEST_SETTINGS,
    ...{ DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, SECRET_KEY: secretKey, EMAIL_PROVIDER_URL: smtpUrl },
    ...{ PUBLIC_URL: apiUrl, DATA_DIR: join(folder, 'data'), SMTP_PORT: String(port) },
    ...env,
  };
  return { folder, port, spool: join(settings.DATA_DIR, 'smtp'), settings };
}

/** Sends a message as software does, over a connection of its own, and answers with what it was told at its end. */
export async function sendBySmtp(port: number, user: string, key: string, message: SendMailOptions): Promise<Told> {
  const transport = createTransport({ host: '127.0.0.1', port, auth: { user, pass: key }, tls: { rejectUnauthorized: false } });
  try {
    return toldOf((await transport.sendMail(message)).response);
  } catch (error) {
    const { response } = error as { readonly response?: string };
    if (response === undefined) throw error;
    return toldOf(response);
  } finally {
    transport.close();
  }
}

function toldOf(response: string): Told {
  return { code: Number(response.slice(0, 3)), text: response.slice(4) };
}

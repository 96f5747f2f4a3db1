import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import type { Acceptance, ReceivedMessage } from '../../smtp/acceptance.ts';
import { smtpAnswer } from '../../smtp/answers.ts';
import { type EntranceDeps, type EntranceOptions, openEntrance } from '../../smtp/entrance.ts';
import { createLogins, type mayLogIn } from '../../smtp/logins.ts';
import { openSpool, type SpoolOptions } from '../../smtp/spool.ts';
import type { TlsPair } from '../../smtp/tls-files.ts';
import { afterFile } from '../support/after-file.ts';
import { certificate } from '../support/certificates.ts';
import { testEnvironment } from '../support/environment.ts';
import { type Dialogue, smtpDialogue } from '../support/smtp-dialogue.ts';

const log = createLogger('silent', {});
export const [USER, KEY] = ['shop', 'the key'];
const HOLDER = {
  ...{ keyId: 'k', scopes: ['send'], isTest: false },
  project: {
    id: 'p',
    slug: USER,
    status: 'active',
    owner_email_verified: true,
    sandbox: false,
    executables: true,
    campaign_approval: false,
    send_window: null,
    default_brand: null,
    has_double_opt_in: false,
  },
} as const;

export interface Given {
  readonly options?: Partial<EntranceOptions>;
  readonly accept?: (message: ReceivedMessage) => ReturnType<Acceptance['accept']>;
  readonly mayLogIn?: typeof mayLogIn;
  readonly spool?: Partial<SpoolOptions>;
}

/** An entrance in this process, stopped after the test file, which takes every message unless told, and has no database behind it. */
export async function newEntrance({ options, accept, spool, ...deps }: Given = {}) {
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'spool-'));
  const received: ReceivedMessage[] = [];
  const lookUps: (string | undefined)[] = [];
  const lookUp = async (key: string | undefined) => {
    lookUps.push(key);
    return key === KEY ? HOLDER : undefined;
  };
  const acceptance: Acceptance = {
    mayBegin: async () => undefined,
    async accept(message) {
      received.push(message);
      return accept ? accept(message) : smtpAnswer(250, '2.0.0', 'taken');
    },
  };
  const parts: EntranceDeps = {
    ...{ acceptance, log, metrics: createMetrics(), logins: createLogins(lookUp, () => {}, 1) },
    spool: await openSpool({ folder, log, ...spool }),
    ...deps,
  };
  const entrance = await openEntrance(
    { host: '127.0.0.1', port: 0, name: 'here', tls: undefined, isImplicit: false, mostConnections: 100, mostBytes: 100_000, ...options },
    parts,
  );
  afterFile(async () => {
    await entrance.stop();
    await parts.spool.close();
  });
  const visit = (implicit = false): Promise<Dialogue> => smtpDialogue(entrance.port, { implicit });
  /** One who has logged in. */
  const client = async (): Promise<Dialogue> => {
    const dialogue = await visit();
    await dialogue.say('EHLO me');
    expect(await dialogue.logIn(USER, KEY)).toMatch(/^235 /);
    return dialogue;
  };
  return { entrance, folder, received, lookUps, visit, client };
}

export const MAIL = 'MAIL FROM:<a@x.example>';
const RCPT = 'RCPT TO:<b@x.example>';

/** To the point where the message is due. */
export async function begin(dialogue: Dialogue): Promise<void> {
  for (const line of [MAIL, RCPT, 'DATA']) expect(await dialogue.say(line)).toMatch(/^(250|354) /);
}

/** A certificate and its key. */
export function pairOf(name: string): TlsPair {
  const { pem, privateKey } = certificate({ name });
  return { cert: pem, key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string };
}

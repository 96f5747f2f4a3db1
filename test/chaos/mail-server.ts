import { createHash } from 'node:crypto';
import PostalMime from 'postal-mime';
import { type SinkBehaviour, type SinkMessage, type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts';
import type { Mail } from './observed.ts';

/** The mail server of the load. How it treats a mail depends on the domain. */
export interface ChaosMailServer {
  /** For EMAIL_PROVIDER_URL. */
  readonly providerUrl: string;
  /** `messageId` is what the row of the mail has as its provider's id. */
  mails(): Promise<Mail[]>;
  /** Where mails to the address lead who wants no more of them. */
  unsubscribeLinks(to: string): Promise<string[]>;
  /** From now on no mail is wanted later. */
  heal(): void;
  stop(): Promise<void>;
}

/** By domain. Most mail goes to the first. */
const BEHAVIOURS: Readonly<Record<string, SinkBehaviour>> = {
  'quick.example': { delayMs: 20 },
  'slow.example': { delayMs: 800 },
  'lost.example': { dropAfterData: {} },
  'refused.example': { rejectRecipient: { code: 550, message: '5.1.1 no such user' } },
  'later.example': { rejectRecipient: { code: 451, message: '4.2.0 come again', times: 2 } },
};

export const QUICK = 'quick.example';
export const OTHER_DOMAINS = Object.keys(BEHAVIOURS).filter((domain) => domain !== QUICK);

/** So often some mail is wanted later. More, and the growing pauses would last longer than the run. */
const LATER_EVERY_MS = 4_000;

export async function startSmtpMailServer(): Promise<ChaosMailServer> {
  const sink: SmtpSink = await startSmtpSink();
  const ask = async (path: string, body?: object) =>
    (await fetch(`${sink.controlUrl}${path}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })).json();
  const behave = (domain: string) => ask(`/behaviour?to=${encodeURIComponent(`@${domain}`)}`, BEHAVIOURS[domain]);
  const messages = async (to: string): Promise<SinkMessage[]> => (await ask(`/messages?to=${encodeURIComponent(to)}`)) as SinkMessage[];
  for (const domain of Object.keys(BEHAVIOURS)) await behave(domain);
  const again = setInterval(() => void behave('later.example').catch(() => {}), LATER_EVERY_MS);
  return {
    providerUrl: sink.smtpUrl,
    async mails() {
      // A copy may go to another domain: the message is that of its first recipient, once.
      const ofDomain = async (domain: string) => (await messages(`@${domain}`)).filter(({ to }) => to[0]?.endsWith(`@${domain}`));
      const found = await Promise.all(Object.keys(BEHAVIOURS).map(ofDomain));
      return Promise.all(
        found.flat().map(async ({ to, raw, receivedAt }) => ({
          ...{ messageId: header(raw, 'message-id').replace(/[<>]/g, ''), subject: header(raw, 'subject') },
          ...{ to: to[0]!, receivedAt, files: await filesOf(raw) },
        })),
      );
    },
    async unsubscribeLinks(to) {
      const found = (await messages(to)).map(({ raw }) => /<([^>]+)>/.exec(header(raw, 'list-unsubscribe'))?.[1]);
      return found.filter((link) => link !== undefined);
    },
    heal: () => clearInterval(again),
    async stop() {
      clearInterval(again);
      await sink.stop();
    },
  };
}

async function filesOf(raw: string): Promise<string[]> {
  if (!raw.includes('\r\nContent-Disposition: attachment')) return [];
  const { attachments } = await PostalMime.parse(raw);
  return attachments.map(({ content }) => sha256(new Uint8Array(content as ArrayBuffer)));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Folded lines are joined. */
function header(raw: string, name: string): string {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
}

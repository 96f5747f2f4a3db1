import PostalMime, { type Email } from 'postal-mime';
import { mailTo } from './mail.ts';
import type { TestProject } from './project.ts';

/** A mail as its reader has it. */
export interface ReadMail {
  readonly mail: Email;
  readonly html: string;
  /** The one of List-Unsubscribe; undefined for transactional mail. */
  readonly unsubscribe: string | undefined;
  /** Every address that the HTML leads to. */
  readonly links: readonly string[];
  readonly pixel: string | undefined;
}

export interface SentMail extends ReadMail {
  readonly providerId: string;
  readonly to: string;
}

export interface SentMailOptions {
  readonly to?: string;
  /** newsletter unless told. */
  readonly template?: string;
  readonly type?: 'transactional' | 'marketing';
  /** Published first, when given. */
  readonly blocks?: readonly unknown[];
}

/** Sends one mail through the API and reads it where it arrived. */
export async function sendMail(project: TestProject, options: SentMailOptions = {}): Promise<SentMail> {
  const { to = project.address(), template = 'newsletter', type, blocks } = options;
  await project.api.put(`/templates/${template}`, { enabled: true });
  if (blocks) await project.api.put(`/templates/${template}/content`, { content: { blocks }, publish: true });
  const sent = await project.api.post('/send', { template, to, ...(type ? { type } : {}) });
  if (sent.status !== 200) throw new Error(`the send was answered with ${sent.status}: ${JSON.stringify(sent.body)}`);
  const messages = await mailTo(to, (found) => found.some(({ raw }) => raw.includes(sent.body.id)));
  const { raw } = messages.find((message) => message.raw.includes(sent.body.id))!;
  return { providerId: sent.body.id, to, ...(await readMail(raw)) };
}

/** `raw`: as it arrived, headers first. */
export async function readMail(raw: string): Promise<ReadMail> {
  const mail = await PostalMime.parse(raw);
  const html = mail.html ?? '';
  const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value;
  const unescaped = (text: string): string => text.replaceAll('&amp;', '&');
  return {
    mail,
    html,
    unsubscribe: header && /<([^>]+)>/.exec(header)?.[1],
    links: [...html.matchAll(/<a\s[^>]*href="([^"]+)"/g)].map(([, href]) => unescaped(href!)),
    pixel: /<img src="([^"]*\/t\/o\/[^"]+)"/.exec(html)?.[1],
  };
}

import type { Reply } from './api.ts';
import { testEnvironment } from './environment.ts';
import { mailNow } from './mail.ts';
import { newProject, type TestProject } from './project.ts';
import { contactOf, must } from './sequences.ts';

export const NEWS = { key: 'news', name: 'Monthly <news>', description: 'On the first of the month' };
export const OFFERS = { key: 'offers', name: 'Offers', defaultOn: false };
export const INSIDERS = { key: 'insiders', name: 'Insiders', defaultOn: false, public: false };

/** A project with these topics, and what tests ask of it. */
export async function projectWithTopics(...topics: readonly object[]) {
  const project = await newProject();
  for (const topic of topics) must(await project.api.post('/topics', topic), 201);
  return { project, ...asking(project) };
}

function asking({ api, address }: TestProject) {
  return {
    /** A new contact. */
    async person(fields: object = {}): Promise<{ id: string; email: string; topics: object }> {
      return must(await api.post('/contacts', { email: address(), ...fields }), 200).contacts[0];
    },
    contactOf: (id: string) => contactOf({ api }, id),
    marketing(to: string, fields: object = {}): Promise<Reply> {
      return api.post('/send', { to, subject: 'News', html: '<p>News</p>', type: 'marketing', ...fields });
    },
    /** Details of the entries of one kind, the newest first. */
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into them
    async timelineOf(id: string, kind: string): Promise<any[]> {
      return must(await api.get(`/contacts/${id}/timeline?kind=${kind}`), 200).timeline.map(({ details }: { details: object }) => details);
    },
  };
}

/** The unsubscribe link of the newest mail to the address. */
export async function linkOf(email: string): Promise<string> {
  const [mail] = (await mailNow(email)).slice(-1);
  const link = /^list-unsubscribe: <([^>]+)>/im.exec(mail!.raw.replace(/\r?\n[ \t]+/g, ' '))![1]!;
  return link.replace(/^https?:\/\/[^/]+/, testEnvironment().apiUrl);
}

export async function ask(method: string, url: string, headers: Record<string, string> = {}): Promise<{ status: number; html: string }> {
  const response = await fetch(url, { method, headers });
  return { status: response.status, html: await response.text() };
}

/** The switches of a page, with the address that each posts to. */
export function switchesOf(html: string): { readonly action: string; readonly name: string; readonly on: boolean }[] {
  const found = html.matchAll(/action="([^"]+)"><span><b[^>]*>([^<]+)<\/b>.*?aria-checked="(true|false)"/g);
  return [...found].map(([, action, name, on]) => ({ action: `${testEnvironment().apiUrl}${action}`, name: name!, on: on === 'true' }));
}

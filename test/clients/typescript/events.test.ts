import { Everpost } from '@everpost/client';
import { beforeAll, expect, test } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../domain/webhooks/event-types.ts';
import { type LoadedDocument, loadDocument } from '../../docs/openapi-document.ts';
import { afterFile } from '../../support/after-file.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { newProject } from '../../support/project.ts';
import { enableTemplates } from '../../support/sequences.ts';

interface SentEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What other tests see: they come of DNS, and of a link that a person follows. */
const ELSEWHERE = ['domain.verified', 'domain.failing', 'contact.confirmed'];

let receiver: HttpReceiver;
let validatorOf: LoadedDocument['validatorOf'];

beforeAll(async () => {
  receiver = await startHttpReceiver();
  afterFile(() => receiver.close());
  ({ validatorOf } = await loadDocument());
});

const validator = (type: string) => validatorOf('webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema');

test('what endpoints are sent is as the types of events say', async () => {
  const project = await newProject();
  const everpost = new Everpost({ apiKey: project.key, url: testEnvironment().apiUrl });
  await enableTemplates(project, 'receipt', 'announcement');
  await everpost.webhooks.create({ url: `${receiver.url}/all` });

  await everpost.topics.create({ key: 'news', name: 'News', defaultOn: true });
  const people = [{ email: project.address(), tags: ['all'] }];
  const { contacts } = await everpost.contacts.upsert(people);
  await everpost.contacts.upsert({ email: people[0]!.email, topics: { news: false } });
  await everpost.sequences.create({ key: 'short', name: 'Short', status: 'active', steps: [{ template: 'receipt', delayMinutes: 0 }] });
  await everpost.sequences.enroll('short', { email: people[0]!.email });
  await everpost.campaigns.create({ template: 'announcement', subject: 'News', audience: { mode: 'tag', tag: 'all' } });
  for (const part of ['delivered', 'bounced', 'complained']) {
    const to = `${part}+${project.slug}@everpost.test`;
    await everpost.send({ template: 'receipt', to, tags: ['tried'], metadata: { order: '7' } });
  }
  const html = '<p><a href="https://example.com/read">Read</a> {{ unsubscribeUrl }}</p>';
  await everpost.send({ to: `clicked+${project.slug}@everpost.test`, type: 'marketing', subject: 'Links', html });
  const wanted: readonly string[] = WEBHOOK_EVENT_TYPES.filter((type) => !ELSEWHERE.includes(type));
  const seen = (): SentEvent[] => receiver.calls('/all').map(({ body }) => JSON.parse(body));
  const missing = () => wanted.filter((type) => type !== 'contact.unsubscribed' && !seen().some((event) => event.type === type));
  await eventually(async () => missing().length === 0).catch(() => expect(missing()).toEqual([]));
  await everpost.contacts.unsubscribe(contacts[0]!.id);
  await eventually(async () => seen().some(({ type }) => type === 'contact.unsubscribed'));

  for (const event of seen()) {
    const validate = validator(event.type);
    expect({ event, isValid: validate(event), errors: validate.errors }).toEqual({ event, isValid: true, errors: null });
  }
});

test('each type that can be subscribed to, and a ping, is in the document', () => {
  for (const type of [...WEBHOOK_EVENT_TYPES, 'webhook.ping']) expect([type, validator(type)({ id: 'x', type })]).toEqual([type, false]);
});

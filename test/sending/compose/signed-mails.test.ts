import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Composed } from '../../../sending/compose/compose-request.ts';
import { type Composer, createComposer } from '../../../sending/compose/composer.ts';
import { attachmentOf, someBytes } from '../../platform/mail/attached.ts';
import { BOTH_PASS, bothKeys, type PublishedKey, publishedKey, verdicts } from '../../platform/mail/verified.ts';
import { LINK_SECRET, OPTIONS, requestFor, templateOf, text } from './composers.ts';

let composer: Composer;
let keys: readonly PublishedKey[];
beforeAll(async () => {
  composer = createComposer(OPTIONS);
  keys = await bothKeys();
});
afterAll(() => composer.close());

const SIGNATURES = /^(?:DKIM-Signature: .*\r\n(?: .*\r\n)+)*/;

function messageOf(composed: Composed | undefined): Buffer {
  if (!composed?.ok) throw new Error(composed?.message ?? 'no mail');
  return Buffer.from(composed.mail.content);
}

test('mails of a batch are each signed with the keys of their request, and those without any are not', async () => {
  const template = await templateOf([...text('Grüße,  {{ contact.first_name }}\n\n.\n'), ...text('漢字'.repeat(30))]);
  const others = [await publishedKey('rsa', { domain: 'other.example', selector: 'one' })];
  const all = [keys, keys, undefined, others, [], keys].map((dkimKeys) => requestFor(template, { dkimKeys }));
  const messages = (await composer.compose(all)).map(messageOf);
  const found = await Promise.all(messages.map((message) => verdicts(message, [...keys, ...others])));
  expect(found).toEqual([BOTH_PASS, BOTH_PASS, ['none'], ['rsa-sha256 pass'], ['none'], BOTH_PASS]);
});

test.each([
  ['quoted-printable', 'Grüße', {}],
  ['base64', '漢字'.repeat(500), {}],
  ['marketing', 'Hello', { type: 'marketing', unsubscribe: { contactId: '1', linkSecret: LINK_SECRET } }],
  ['to an address beyond ASCII', 'Hello', { to: 'jörg@example.org' }],
] as const)('a signed mail is the one without keys, byte for byte, behind its signatures: %s', async (_, content, part) => {
  const request = requestFor(await templateOf(text(content)), part);
  const [plain, signed] = (await composer.compose([request, { ...request, dkimKeys: keys }])).map(messageOf);
  expect(await verdicts(signed!, keys)).toEqual(BOTH_PASS);
  expect(signed!.toString().replace(SIGNATURES, '')).toBe(plain!.toString());
});

test('of a mail with files the signatures stay to be written, and the places of its files are behind them', async () => {
  const file = attachmentOf({ filename: 'a.pdf', contentType: 'application/pdf', bytes: someBytes(10) });
  const request = requestFor(await templateOf(text('Hello')), { details: { attachments: [file] } });
  const [plain, signed] = await composer.compose([request, { ...request, dkimKeys: keys }]);
  if (!plain?.ok || !signed?.ok) throw new Error('no mail');
  const room = signed.mail.content.length - plain.mail.content.length;
  expect(signed.mail.gaps).toEqual(plain.mail.gaps?.map((at) => at + room));
  expect(signed.mail.signatures?.each.map(({ key }) => key)).toEqual(keys);
  expect(plain.mail).not.toHaveProperty('signatures');
});

test('links lead below the URL of their request, or else below the public one: counted links, the pixel and the unsubscribe link', async () => {
  const template = await templateOf(text('[Read](https://acme.example/a)'));
  const part = { type: 'marketing', isTracked: true, unsubscribe: { contactId: '1', linkSecret: LINK_SECRET } } as const;
  const request = requestFor(template, part);
  const urls = ['https://track.acme.example', undefined, 'https://track.acme.example/post'];
  const messages = (await composer.compose(urls.map((linksUrl) => ({ ...request, linksUrl })))).map(messageOf);
  for (const [index, message] of messages.entries()) {
    const base = urls[index] ?? OPTIONS.publicUrl;
    const unfolded = message
      .toString()
      .replace(/=\r\n|\r\n(?= )/g, '')
      .replaceAll('=3D', '=');
    const links = unfolded.match(/https?:[^"<>\s)]+/g) ?? [];
    expect(links.length).toBeGreaterThan(3);
    const others = links.filter((link) => !link.startsWith(`${base}/t/`) && !link.startsWith(`${base}/api/v1/unsubscribe?`));
    expect(others.filter((link) => /unsubscribe|\/t\//.test(link))).toEqual([]);
    expect(unfolded).toContain(`List-Unsubscribe: <${base}/api/v1/unsubscribe?`);
    expect(unfolded).toContain(`src="${base}/t/o/`);
    expect(unfolded).toContain(`href="${base}/t/c/`);
  }
});

test('each message has a return path of its own below the host of its request, or else that of the installation; without one its sender', async () => {
  const own = createComposer({ ...OPTIONS, returnPath: { user: 'bounces', host: 'mail.example' } });
  try {
    const template = await templateOf(text('Hello'));
    const requests = [undefined, 'bounces.acme.example', undefined].map((returnHost) => requestFor(template, { returnHost }));
    const envelopes = [...(await own.compose(requests)), ...(await composer.compose(requests))].map((one) => one.ok && one.mail.from);
    const sender = requests[0]!.from.email;
    expect(envelopes).toEqual([
      ...['mail.example', 'bounces.acme.example', 'mail.example'].map((host) =>
        expect.stringMatching(new RegExp(`^bounces\\+[0-9a-f]{44}@${host}$`)),
      ),
      ...[sender, sender, sender],
    ]);
    expect(new Set(envelopes).size).toBe(4);
  } finally {
    await own.close();
  }
});

test('a key that is none fails the mails that it was for, and no others', async () => {
  const faults: unknown[] = [];
  const own = createComposer({ ...OPTIONS, log: { error: (event) => faults.push(event) } });
  try {
    const template = await templateOf(text('Hello'));
    const broken = [{ ...keys[0]!, selector: 'broken', privateKey: 'no key' }];
    const [bad, good] = await own.compose([requestFor(template, { dkimKeys: broken }), requestFor(template, { dkimKeys: keys })]);
    expect(bad).toEqual({ ok: false, message: 'the email could not be made' });
    expect(await verdicts(messageOf(good), keys)).toEqual(BOTH_PASS);
    expect(faults).toEqual(['compose.fault']);
  } finally {
    await own.close();
  }
});

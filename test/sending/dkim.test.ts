import { beforeAll, expect, test } from 'vitest';
import { SANDBOX_DOMAIN } from '../../domain/sends/sandbox.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import type { MailProvider } from '../../platform/mail/provider.ts';
import { attachmentOf, inPieces, readByPostalMime, someBytes } from '../platform/mail/attached.ts';
import { BOTH_PASS, type PublishedKey, publishedKey, verdicts } from '../platform/mail/verified.ts';
import { testEnvironment } from '../support/environment.ts';
import { mailTo } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { mailRequest, sendingsOfFile } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';

const openSending = sendingsOfFile();
let project: TestProject;
let keys: readonly PublishedKey[];
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
  const { domain } = project;
  keys = await Promise.all([publishedKey('rsa', { domain }), publishedKey('ed25519', { domain })]);
});

const file = { filename: 'a.pdf', contentType: 'application/pdf', bytes: someBytes(200_000) };

/** The send path to a provider, with keys for the domain of the project; `asked`: what they were wanted for. */
async function signing(provider?: MailProvider) {
  const asked: string[][] = [];
  const path = await openSending({
    ...(provider && { provider }),
    openFile: async () => inPieces(file.bytes),
    async dkimKeysFor(...wanted) {
      asked.push(wanted);
      return wanted[1] === project.domain ? keys : [];
    },
  });
  return { ...path, asked };
}

const bySmtp = (): MailProvider => createMailProvider(new URL(testEnvironment().smtpUrl), { maxConnections: 2 });

test('what arrives by SMTP is signed for the domain of its sender: a mail, one of marketing with its unsubscribe link, and one with a file', async () => {
  const { sending, asked } = await signing(bySmtp());
  const [plain, marketing, attached] = [project.address('plain'), project.address('marketing'), project.address('attached')];
  const requests = await Promise.all([
    mailRequest(project, plain),
    mailRequest(project, marketing, { type: 'marketing' }),
    mailRequest(project, attached, { details: { attachments: [attachmentOf(file)], replyTo: { email: 'änn@example.org' } } }),
  ]);
  expect(await Promise.all(requests.map(sending.sendCall))).toMatchObject([{ state: 'sent' }, { state: 'sent' }, { state: 'sent' }]);
  const received = await Promise.all([plain, marketing, attached].map(async (to) => (await mailTo(to))[0]!.raw));
  for (const raw of received) expect(await verdicts(raw, keys)).toEqual(BOTH_PASS);
  expect(received[1]).toMatch(/^List-Unsubscribe: </m);
  expect(received[1]!.replace(/\r\n /g, '')).toMatch(
    /^DKIM-Signature: .*:list-unsubscribe:list-unsubscribe:list-unsubscribe-post:list-unsubscribe-post:/m,
  );
  expect((await readByPostalMime(received[2]!)).files).toMatchObject([{ sha256: attachmentOf(file).sha256 }]);
  // Once for those that go together.
  expect([...new Set(asked.map((of) => of.join()))]).toEqual([`${project.id},${project.domain}`]);
});

test('a sender whose domain has no key sends as before', async () => {
  const { sending } = await signing(bySmtp());
  const to = project.address();
  const from = { email: `ann@mail.${project.domain}` };
  expect(await sending.sendCall(await mailRequest(project, to, { from }))).toMatchObject({ state: 'sent' });
  expect((await mailTo(to))[0]!.raw).toMatch(/^From: ann@mail\./);
});

test('nothing is signed that a provider will sign, or that stays here', async () => {
  const other = await signing();
  expect(await other.sending.sendCall(await mailRequest(project, project.address()))).toMatchObject({ state: 'sent' });
  expect(Buffer.from(other.submitted[0]!.content).toString()).toMatch(/^From: /);
  const smtp = await signing(bySmtp());
  expect(await smtp.sending.sendCall(await mailRequest(project, `delivered+dkim@${SANDBOX_DOMAIN}`))).toMatchObject({ state: 'sent' });
  expect([other.asked, smtp.asked]).toEqual([[], []]);
});

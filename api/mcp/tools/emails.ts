import * as z from 'zod';
import { pathOf } from '../own-calls.ts';
import { defineTool } from '../tool.ts';
import { counted, fittingPage, isNotSent, pageFields, pageWords } from './shared.ts';

const searchEmails = defineTool({
  name: 'search_emails',
  title: 'Search the email log',
  description:
    'The log of every attempt to send, newest first: status, error, delivery, opens, clicks. Filter by recipient (`q` takes part of an address), template, status, source, tag or time. ' +
    'Emails that wait for their time are found with status scheduled alone. To learn why one did not arrive, use explain_email.',
  kind: 'read',
  scopes: ['sends:read'],
  input: z.object(pageFields),
  takes: {
    route: 'GET /sends',
    fields: ['q', 'template', 'type', 'status', 'contactId', 'sourceType', 'sourceId', 'deliveryStatus', 'tag', 'metadata', 'from', 'to'],
  },
  async run({ ask }, { limit, cursor }, taken) {
    const { sends, nextCursor } = await fittingPage(limit, (most) =>
      ask<{ sends: { status: string }[]; nextCursor: string | null }>({
        method: 'GET',
        path: '/sends',
        query: { ...taken, limit: most, cursor },
      }),
    );
    const failed = sends.filter(({ status }) => status === 'failed').length;
    const says = [`${counted(sends.length, 'email')} on this page, ${failed} of them failed.`, ...pageWords(nextCursor)];
    return { says, data: { sends, nextCursor }, more: 'Ask with a smaller `limit`, or narrower.' };
  },
});

const OWN_CONTENT = ['html', 'text', 'content', 'subject', 'type'] as const;

const NOT_SENT = 'Nothing left: the email was made in the sandbox, for a test key, a sandbox project or an address of everpost.test.';

const sendEmail = defineTool({
  name: 'send_email',
  title: 'Send one email',
  description:
    'Send one email to one person, now or at `sendAt`: with a template and its data, or with own text or html, a subject and a type. It really goes out. No copies: for several people use prepare_send_to_several. ' +
    'Give an `idempotencyKey` of your own, made of what the email is about, so that a repeated call does not send it twice.',
  kind: 'act',
  scopes: ['send'],
  input: z.object({
    idempotencyKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/)
      .meta({ description: 'Visible ASCII, like `welcome-4711`: the same key never sends a second email' }),
  }),
  takes: {
    route: 'POST /send',
    fields: ['to', 'contactId', 'template', 'data', ...OWN_CONTENT, 'replyTo', 'locale', 'topic', 'tags', 'sendAt'],
  },
  isIdempotent: true,
  isDestructive: true,
  async run({ ask }, { idempotencyKey }, taken) {
    const answer = await ask<{ id: string; status?: string }>({ method: 'POST', path: '/send', body: taken, idempotencyKey });
    const said = isNotSent(answer.id) ? NOT_SENT : 'The provider took the email.';
    return { says: [answer.status === 'scheduled' ? 'The email is scheduled.' : said], data: answer };
  },
});

const cancelEmail = defineTool({
  name: 'cancel_email',
  title: 'Cancel a scheduled email',
  description: 'Cancel an email that waits for its time (search_emails with status scheduled). What is being sent cannot be cancelled.',
  kind: 'act',
  scopes: ['send'],
  input: z.object({ sendId: z.string().min(1).max(1000) }),
  isDestructive: true,
  async run({ ask }, { sendId }) {
    const answer = await ask({ method: 'DELETE', path: pathOf`/sends/${sendId}` });
    return { says: ['The email is cancelled: it does not go.'], data: answer };
  },
});

const retryEmail = defineTool({
  name: 'retry_email',
  title: 'Send a failed email again',
  description:
    'Send one failed email again, once. Look at explain_email first: with outcome_unknown the person may get it twice. An email of POST /send needs its `data` again. An email of a campaign needs campaigns:write too.',
  kind: 'act',
  scopes: ['send'],
  input: z.object({ sendId: z.string().min(1).max(1000).meta({ description: 'The id of the failed row' }) }),
  takes: { route: 'POST /sends/:id/retry', fields: ['data'] },
  isDestructive: true,
  async run({ ask }, { sendId }, taken) {
    const answer = await ask<{ id?: string; queued?: boolean }>({ method: 'POST', path: pathOf`/sends/${sendId}/retry`, body: taken });
    const said = isNotSent(answer.id) ? NOT_SENT : 'The provider took it this time.';
    return { says: [answer.queued ? 'It is queued again.' : said], data: answer };
  },
});

export const tools = [searchEmails, sendEmail, cancelEmail, retryEmail];

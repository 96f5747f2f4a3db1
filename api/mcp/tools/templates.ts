import * as z from 'zod';
import { invalidRequest } from '../../../domain/errors.ts';
import { pathOf } from '../own-calls.ts';
import { defineTool, RouteRefused } from '../tool.ts';
import { counted, ifThere } from './shared.ts';

const TemplateKey = z.string().min(1).max(100).meta({ description: 'The key of the template' });
const Brand = z.string().min(1).max(64).optional().meta({ description: "A brand's slug; the project's default when omitted" });
const Locale = z.string().max(35).optional().meta({ description: 'A language by its BCP 47 tag; the default when omitted' });
const VERSION =
  'The number of the version that the change is made from, as get_template shows it (the higher of draft and published; 0: none)';

/** A version of a template's content. */
interface Version {
  readonly version: number;
  readonly content: unknown;
  readonly subject?: string | null;
}
export interface TemplateContent {
  readonly published?: Version | null;
  readonly draft?: Version | null;
}

const listTemplates = defineTool({
  name: 'list_templates',
  title: 'List templates',
  description:
    'All templates of the project: key, name, type (transactional or marketing), whether enabled, subject and sender. Begin here to find the key of a template.',
  kind: 'read',
  scopes: ['templates:read'],
  input: z.object({ brand: Brand }),
  hasParts: true,
  async run({ ask }, query) {
    const answer = await ask<{ templates: { enabled: boolean }[] }>({ method: 'GET', path: '/templates', query });
    const enabled = answer.templates.filter((template) => template.enabled).length;
    return {
      says: [`${counted(answer.templates.length, 'template')}, ${enabled} of them enabled.`],
      data: { templates: answer.templates },
    };
  },
});

const getTemplate = defineTool({
  name: 'get_template',
  title: "A template's content",
  description:
    'The content of one template: what is published, the draft, what it ships with, and the variables that it uses. Read it before draft_template changes it.',
  kind: 'read',
  scopes: ['templates:read'],
  input: z.object({ template: TemplateKey, brand: Brand, locale: Locale }),
  hasParts: true,
  async run({ ask }, { template, ...query }) {
    const content = await ask<TemplateContent>({ method: 'GET', path: pathOf`/templates/${template}/content`, query });
    const schema = await ask<object>({ method: 'GET', path: pathOf`/templates/${template}/schema`, query: { brand: query.brand } });
    const { published, draft } = content;
    const says = [
      published ? `Version ${published.version} is published.` : 'Nothing is published: emails say what it ships with.',
      draft ? `Version ${draft.version} is a draft, which no email says.` : 'There is no draft.',
    ];
    return { says, data: { ...without(content, 'ok'), variables: without(schema, 'ok') } };
  },
});

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== name));
}

const draftTemplate = defineTool({
  name: 'draft_template',
  title: 'Write a draft of a template',
  description:
    'Save content (and a subject) as the draft of a template; no email says it before publish_template. A key that is new makes a template of the project, switched off, which needs `name`, `type`, `subject` and content. ' +
    'get_format with `template_content` has the form of content. Preview it with preview_template.',
  kind: 'draft',
  scopes: ['templates:write'],
  input: z.object({
    template: TemplateKey,
    content: z.record(z.string(), z.unknown()).meta({
      description:
        'Blocks from top to bottom, like {"blocks":[{"type":"heading","text":"Hello"},{"type":"text","text":"Hi {{ contact.first_name }}"}]}, or MJML, like {"mjml":"<mjml><mj-body>…</mj-body></mjml>"}',
    }),
    subject: z.string().max(998).optional().meta({ description: 'Liquid; that of the draft stays when omitted' }),
    brand: Brand,
    locale: Locale,
    ifVersion: z.int().min(0).optional().meta({ description: VERSION }),
  }),
  takes: { route: 'POST /templates', fields: ['name', 'type', 'description', 'dataSchema'] },
  async run({ ask }, { template, content, subject, brand, locale, ifVersion }, taken) {
    const path = pathOf`/templates/${template}/content`;
    if (!(await ifThere(ask<object>({ method: 'GET', path })))) {
      const unfit = Object.entries({ brand, locale, ifVersion }).filter(([, value]) => value !== undefined && value !== 0);
      if (unfit.length > 0)
        throw invalidRequest(
          unfit.map(([name]) => ({
            path: name,
            message:
              'there is no template with this key yet: make it first with its default content, without `brand`, `locale` and `ifVersion`',
          })),
        );
      const made = await ask<object>({ method: 'POST', path: '/templates', body: { ...taken, key: template, subject, content } });
      return { says: ['The template is made, and switched off: no email can be sent with it before it is enabled.'], data: made };
    }
    const kept = subject ?? (await ask<TemplateContent>({ method: 'GET', path, query: { brand, locale } })).draft?.subject ?? undefined;
    const body = { content, ...(kept === undefined ? {} : { subject: kept }), publish: false, brand, locale };
    const saved = await ask<{ version: number }>({ method: 'PUT', path, query: { ifVersion }, body });
    const ignored =
      Object.keys(taken).length > 0 ? ['The template is there already: its name, type, description and dataSchema stay as they are.'] : [];
    return { says: [`The draft is saved as version ${saved.version}. No email says it before it is published.`, ...ignored], data: saved };
  },
});

const previewTemplate = defineTool({
  name: 'preview_template',
  title: 'Preview a template',
  description:
    'Render a template, or content that is not saved yet, with data and for a person: subject, text, html, and `missing`: data that it requires and was not given. Sends nothing. ' +
    'The draft is shown where there is one.',
  kind: 'read',
  scopes: ['templates:read'],
  input: z.object({
    template: TemplateKey,
    withHtml: z.boolean().default(false).meta({ description: 'The html too; subject and text when omitted' }),
  }),
  takes: {
    route: 'POST /templates/:key/preview',
    fields: ['data', 'contactId', 'contact', 'content', 'subject', 'version', 'locale', 'brand'],
  },
  hasParts: true,
  async run({ ask }, { template, withHtml }, taken) {
    const shown = await ask<{ subject: string; text: string; html: string; missing?: string[] }>({
      method: 'POST',
      path: pathOf`/templates/${template}/preview`,
      body: taken,
    });
    const { html, missing = [] } = shown;
    const says = [
      missing.length > 0
        ? `Data is missing: an email would not be sent. ${counted(missing.length, 'name')} in data.`
        : 'Nothing that it requires is missing.',
    ];
    return { says, data: withHtml ? { ...without(without(shown, 'html'), 'ok'), html } : without(without(shown, 'html'), 'ok') };
  },
});

const publishTemplate = defineTool({
  name: 'publish_template',
  title: 'Publish a template',
  description:
    'Publish the draft of a template as it stands: every email of it says that from now on, those of running sequences too; a campaign that has begun goes on with what was published then. `version` is that of the draft which the user has looked at. ' +
    'With `enable` the template is switched on as well.',
  kind: 'act',
  scopes: ['templates:write'],
  input: z.object({
    template: TemplateKey,
    version: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Of the draft, as get_template shows it. Omitted: nothing is published, `enable` alone' }),
    enable: z.boolean().default(false),
    brand: Brand,
    locale: Locale,
  }),
  isDestructive: true,
  async run({ ask }, { template, version, enable, brand, locale }) {
    const path = pathOf`/templates/${template}/content`;
    const says: string[] = [];
    const data: Record<string, unknown> = {};
    if (version !== undefined) {
      const { draft } = await ask<TemplateContent>({ method: 'GET', path, query: { brand, locale } });
      if (draft?.version !== version) throw new RouteRefused(otherDraft(draft));
      const subject = typeof draft.subject === 'string' ? { subject: draft.subject } : {};
      const body = { content: draft.content, ...subject, publish: true, brand, locale };
      data.published = await ask<object>({ method: 'PUT', path, query: { ifVersion: version }, body });
      says.push('The draft is published.');
    }
    if (enable) {
      data.enabled = await ask<object>({ method: 'PUT', path: pathOf`/templates/${template}`, body: { enabled: true, brand } });
      says.push('The template is enabled.');
    }
    return says.length > 0 ? { says, data } : { says: ['Nothing was asked for: give `version`, `enable` or both.'], isError: true };
  },
});

function otherDraft(draft: Version | null | undefined) {
  const error = draft ? `the draft is version ${draft.version}: look at it before it is published` : 'the template has no draft';
  return { status: 409, body: { ok: false, code: 'version_conflict', error }, retryAfter: undefined };
}

export const tools = [listTemplates, getTemplate, draftTemplate, previewTemplate, publishTemplate];

import { ApiFailure } from '../api.ts';
import { isEqual } from '../files/canonical.ts';
import type { Format } from '../files/content-files.ts';
import type { Content } from '../files/markdown-content.ts';
import {
  isPublished,
  type ListedTemplate,
  listTemplates,
  pushSteps,
  type RemoteTemplate,
  readRemoteTemplate,
  whyNotPushed,
} from '../files/remote-templates.ts';
import {
  readTemplate,
  type TemplateModel,
  templateFolder,
  templateHead,
  templateKeys,
  templateWarnings,
  writeTemplate,
} from '../files/template-files.ts';
import { yamlText } from '../files/yaml-text.ts';
import type { Kind, There, Work } from './content-work.ts';

interface TemplateThere extends There {
  readonly remote: RemoteTemplate;
}

/** Templates as files. */
export function templateKinds({ given, api, brand }: Work): Kind {
  let listed: Promise<ListedTemplate[]> | undefined;
  const list = (): Promise<ListedTemplate[]> => {
    listed ??= listTemplates(api, brand);
    return listed;
  };
  return {
    name: 'templates',
    keysHere: templateKeys,
    warnings: templateWarnings,
    async keysThere(all) {
      const keys: string[] = [];
      for (const one of await list()) {
        // Of what ships, that which the brand has written anew or set.
        const counts = all || one.own || one.isSet || (await isPublished(api, one.key, brand));
        if (counts) keys.push(one.key);
      }
      return keys;
    },
    async there(key): Promise<TemplateThere | undefined> {
      templateFolder(key);
      const found = (await list()).find((one) => one.key === key);
      if (!found) return undefined;
      const remote = await readRemoteTemplate(api, found, brand).catch((error: unknown) => {
        if (error instanceof ApiFailure && error.code === 'unknown_template') return undefined;
        throw error;
      });
      if (!remote) return undefined;
      const { model, drafts } = remote;
      const notes =
        drafts.length > 0 ? [`has a draft in ${namedLanguages(drafts)}, which is not pulled: files have what is published`] : [];
      return { remote, model, notes };
    },
    forget() {
      listed = undefined;
    },
    here: (folder, key) => readTemplate(folder, key),
    withLeft(here, { model }) {
      return { ...here, languages: { ...(model as TemplateModel).languages, ...(here as TemplateModel).languages } };
    },
    shown(model) {
      const template = model as TemplateModel;
      const contents = Object.entries(template.languages).map(([tag, { content }]) => `# content.${tag}\n${shownContent(content)}`);
      return [`${yamlText(templateHead(template))}# content\n${shownContent(template.content)}`, ...contents.toSorted()].join('');
    },
    write: (folder, key, model) =>
      writeTemplate(folder, key, model as TemplateModel, { format: (given.text('format') ?? 'yaml') as Format, url: api.url }),
    async plan(key, local, there) {
      const remote = (there as TemplateThere | undefined)?.remote;
      const template = local as TemplateModel;
      const gone = Object.keys(remote?.model.languages ?? {}).filter((tag) => !(tag in template.languages));
      const steps = pushSteps(api, key, template, remote, { brand, prune: given.flag('prune') });
      const dropped = remote?.drafts.filter((tag) => steps.some(({ drops }) => drops === tag)) ?? [];
      return {
        endangered:
          dropped.length > 0
            ? `somebody works on a draft in ${namedLanguages(dropped)}, which this push would replace or take away`
            : undefined,
        notes:
          gone.length > 0 && !given.flag('prune')
            ? [`${gone.join(', ')}: on the server, and in no file; --prune takes a language away`]
            : [],
        warnings: [],
        refused: whyNotPushed(template, remote) ?? (await whyNotContent(key, template, remote)),
        steps,
      };
    },
  };

  /** Any template of a type, or of another where there is none. */
  async function likeTemplate(type: string): Promise<string | undefined> {
    const all = await list();
    return (all.find(({ record }) => record.type === type) ?? all[0])?.key;
  }

  /** Why the server would not take what these files say: it renders each changed content without keeping it. One that is not there yet is tried as if it were another. */
  async function whyNotContent(key: string, template: TemplateModel, remote: RemoteTemplate | undefined): Promise<string | undefined> {
    const tried = remote ? key : await likeTemplate(template.type);
    if (tried === undefined) return undefined;
    const was = remote?.model;
    const contents = [
      { tag: '', content: template.content, subject: template.subject, isSame: isSaid(was, template) },
      ...Object.entries(template.languages).map(([tag, { content, subject }]) => ({
        ...{ tag, content, subject },
        isSame: was?.languages[tag] !== undefined && isSaid(was.languages[tag], { content, subject }),
      })),
    ];
    for (const { tag, content, subject } of contents.filter(({ isSame }) => !isSame)) {
      try {
        await api.call('templates.preview', { path: [tried], query: { brand }, body: { content, ...(subject ? { subject } : {}) } });
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.status === undefined || error.status >= 500) throw error;
        return tag === '' ? error.message : `${tag}: ${error.message}`;
      }
    }
    return undefined;
  }
}

function namedLanguages(tags: readonly string[]): string {
  return tags.map((tag) => tag || 'its default language').join(', ');
}

/** Whether a content and its subject are as they were. */
function isSaid(was: Pick<TemplateModel, 'content' | 'subject'> | undefined, now: Pick<TemplateModel, 'content' | 'subject'>): boolean {
  return was !== undefined && isEqual([was.content, was.subject], [now.content, now.subject]);
}

/** MJML as its file has it, so that differences are those of its lines. */
function shownContent(content: Content): string {
  return 'mjml' in content ? `${content.mjml}\n` : yamlText(content);
}

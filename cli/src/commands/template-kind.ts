import type { Schema } from '@everpost/client';
import { isEqual } from '../files/canonical.ts';
import { type Format, readContents, saysNothing } from '../files/content-files.ts';
import type { Content } from '../files/markdown-content.ts';
import { listTemplates, pushSteps, type RemoteTemplate, readRemoteTemplate, whyNotPushed, whyRefused } from '../files/remote-templates.ts';
import {
  readTemplate,
  type TemplateModel,
  templateFolder,
  templateHead,
  templateKeys,
  templateWarnings,
  writeTemplate,
} from '../files/template-files.ts';
import { placedInTemplate } from '../files/template-places.ts';
import { yamlText } from '../files/yaml-text.ts';
import type { Kind, There, Work } from './content-work.ts';

interface TemplateThere extends There {
  readonly remote: RemoteTemplate;
}

/** Templates as files. */
export function templateKinds({ given, api, brand, folder }: Work): Kind {
  const known = new Map<string, Promise<RemoteTemplate | undefined>>();
  const read = (key: string): Promise<RemoteTemplate | undefined> => {
    const reading = known.get(key) ?? readRemoteTemplate(api, key, brand);
    known.set(key, reading);
    return reading;
  };
  return {
    name: 'templates',
    keysHere: templateKeys,
    warnings: templateWarnings,
    async keysThere(all) {
      const keys: string[] = [];
      for (const { key, isOwnOrSet } of await listTemplates(api, brand)) {
        // Of what ships, that which the brand has written anew or set.
        if (all || isOwnOrSet || (await read(key))?.isPublished) keys.push(key);
      }
      return keys;
    },
    async there(key): Promise<TemplateThere | undefined> {
      templateFolder(key);
      const remote = await read(key);
      if (!remote) return undefined;
      const { model, drafts } = remote;
      const notes =
        drafts.length > 0 ? [`has a draft in ${namedLanguages(drafts)}, which is not pulled: files have what is published`] : [];
      return { remote, model, notes };
    },
    forget: () => known.clear(),
    here: readTemplate,
    async emptyFile(folder, key, here, there) {
      const template = here as TemplateModel;
      const model = there?.model as TemplateModel | undefined;
      const contents = [
        { locale: null, content: template.content, was: model?.content },
        ...Object.entries(template.languages).map(([locale, { content }]) => ({ locale, content, was: model?.languages[locale]?.content })),
      ];
      const empty = contents.find(({ content, was }) => saysNothing(content) && !isEqual(content, was));
      if (!empty) return undefined;
      const files = await readContents(folder, templateFolder(key));
      return files.filter(({ locale }) => locale === empty.locale).map(({ path }) => folder.named(path))[0];
    },
    withLeft(here, { model }) {
      return { ...here, languages: { ...(model as TemplateModel).languages, ...(here as TemplateModel).languages } };
    },
    shown(model) {
      const template = model as TemplateModel;
      const contents = Object.entries(template.languages).map(([tag, { content }]) => `# content.${tag}\n${shownContent(content)}`);
      return [`${yamlText(templateHead(template))}# content\n${shownContent(template.content)}`, ...contents.toSorted()].join('');
    },
    write: (to, key, model) =>
      writeTemplate(to, key, model as TemplateModel, { format: (given.text('format') ?? 'yaml') as Format, url: api.url }),
    async plan(key, local, there) {
      const remote = (there as TemplateThere | undefined)?.remote;
      const template = local as TemplateModel;
      const gone = Object.keys(remote?.model.languages ?? {}).filter((tag) => !(tag in template.languages));
      const steps = pushSteps(api, key, template, remote, { brand, prune: given.flag('prune') });
      const refused = steps.length > 0 ? await whyRefused(api, key, template, remote) : undefined;
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
        refused: whyNoType(template) ?? whyNotPushed(template, remote) ?? refused?.at(await placedInTemplate(folder, key, refused.issues)),
        steps,
      };
    },
  };
}

const TYPES: readonly string[] = ['transactional', 'marketing'] satisfies readonly Schema<'NewTemplateInput'>['type'][];

/** What is wrong with the type itself, whatever the server has. */
function whyNoType({ type }: TemplateModel): string | undefined {
  return TYPES.includes(type) ? undefined : `type: ${type} is no type; write ${TYPES.join(' or ')}`;
}

function namedLanguages(tags: readonly string[]): string {
  return tags.map((tag) => tag || 'its default language').join(', ');
}

/** MJML as its file has it, so that differences are those of its lines. */
function shownContent(content: Content): string {
  return 'mjml' in content ? `${content.mjml}\n` : yamlText(content);
}

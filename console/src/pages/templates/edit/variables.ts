import { CONTACT_TEXTS } from '../../../show/contact-texts.ts';
import { SAMPLE_CONTACT, type TemplateField } from '../template-queries.ts';

/** What a text of the mail may show. */
export interface Variable {
  readonly path: string;
  /** Where it comes from. */
  readonly of: 'Data' | 'Contact' | 'Email';
  /** '' where there is none. */
  readonly sample: string;
}

const OF_MAIL = ['brand.name', 'brand.website', 'brand.address', 'recipient.email', 'unsubscribeUrl'];

/** The data of the template, then the contact's fields and the attributes that the project uses, then what every mail has. */
export function variablesOf(
  fields: readonly Pick<TemplateField, 'path' | 'kind' | 'sample'>[],
  attributes: readonly string[],
): readonly Variable[] {
  const shown = fields.filter(({ kind }) => kind !== 'array' && kind !== 'object');
  const data = shown.map(({ path, sample }) => ({ path, of: 'Data' as const, sample: sampleText(sample) }));
  const names = ['email', ...Object.keys(CONTACT_TEXTS)];
  const contact = [...new Set(names)].map((name) => ({
    path: `contact.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    of: 'Contact' as const,
    sample: sampleText((SAMPLE_CONTACT as Readonly<Record<string, unknown>>)[name]),
  }));
  const custom = attributes.filter(isPlain).map((name) => ({ path: `contact.attributes.${name}`, of: 'Contact' as const, sample: '' }));
  return [...data, ...contact, ...custom, ...OF_MAIL.map((path) => ({ path, of: 'Email' as const, sample: '' }))];
}

/** Whether Liquid reads the name as it is. */
function isPlain(name: string): boolean {
  return /^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$/.test(name);
}

function sampleText(sample: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof sample) ? String(sample) : '';
}

/** As a text shows it. */
export function output(path: string): string {
  return `{{ ${path} }}`;
}

/** Told where nothing that is offered fits. */
export const NO_MATCHES = 'No matches. Press Enter to use it as typed.';

/** Those in whose path, or whose sample, it is. */
export function matching(variables: readonly Variable[], text: string): readonly Variable[] {
  const wanted = text.trim().toLowerCase();
  return variables.filter(({ path, sample }) => [path, sample].some((one) => one.toLowerCase().includes(wanted)));
}

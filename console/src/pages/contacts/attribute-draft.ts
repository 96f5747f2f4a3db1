import { jsonFault } from '../../frame/json-fault.ts';
import type { Contact } from './contact-queries.ts';

type Attributes = Contact['attributes'];
type AttributeValue = Attributes[string];

export type AttributeType = 'text' | 'number' | 'boolean' | 'json';

/** An attribute while it is edited. */
export interface AttributeDraft {
  /** Of its row on the page. */
  readonly id: string;
  readonly name: string;
  readonly type: AttributeType;
  /** As typed. */
  readonly text: string;
}

let ids = 0;

export function newAttribute(name = '', value: AttributeValue = ''): AttributeDraft {
  ids += 1;
  const type = typeOf(value);
  return { id: `attribute-${ids}`, name, type, text: type === 'json' ? JSON.stringify(value) : String(value) };
}

export function attributeDraftsOf(attributes: Attributes): AttributeDraft[] {
  return Object.entries(attributes).map(([name, value]) => newAttribute(name, value));
}

function typeOf(value: AttributeValue): AttributeType {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : 'json';
}

/** What is wrong with an attribute, if anything; a row without name and value counts for nothing. */
export function attributeProblem(draft: AttributeDraft, all: readonly AttributeDraft[]): { name?: string; text?: string } {
  const name = draft.name.trim();
  if (!name) return draft.text === '' ? {} : { name: 'Enter a name' };
  if (all.some((other) => other.id !== draft.id && other.name.trim() === name)) return { name: 'This name is already used' };
  if (draft.type === 'number' && (draft.text.trim() === '' || !Number.isFinite(Number(draft.text)))) return { text: 'Enter a number' };
  const fault = draft.type === 'json' ? jsonFault(draft.text) : undefined;
  return fault ? { text: fault } : {};
}

/** What to say of all of them where one has something wrong, which is told at its row. */
export function attributesFault(drafts: readonly AttributeDraft[]): string | undefined {
  const isWrong = drafts.some((one) => Object.keys(attributeProblem(one, drafts)).length > 0);
  return isWrong ? 'Fix the marked attributes' : undefined;
}

/** What has to be sent so that a contact with `current` has these: changed ones, and null for those that are gone. */
export function changedAttributes(drafts: readonly AttributeDraft[], current: Attributes): Attributes {
  const wanted = new Map(drafts.filter(({ name }) => name.trim()).map((draft) => [draft.name.trim(), typedValue(draft)]));
  const changed = [...wanted].filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(current[name]));
  const gone = Object.keys(current).filter((name) => !wanted.has(name));
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)]) as Attributes;
}

/** undefined where the text is no value of its type. */
function typedValue({ type, text }: AttributeDraft): AttributeValue | undefined {
  if (type === 'text') return text;
  if (type === 'boolean') return text === 'true';
  if (type === 'number') return Number(text);
  try {
    return JSON.parse(text) as AttributeValue;
  } catch {
    return undefined;
  }
}

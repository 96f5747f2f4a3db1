import type { Schemas } from '../../api/client.ts';
import { isField } from './fields.ts';

type Condition = Schemas['Condition'];
type Scalar = string | number | boolean;

/** A condition while it is edited: what is not complete yet is a draft too. Ids are those of the elements on the page. */
export type Draft = GroupDraft | RuleDraft;

export interface GroupDraft {
  readonly id: string;
  readonly kind: 'group';
  /** none: not any of them. */
  readonly match: 'all' | 'any' | 'none';
  readonly items: readonly Draft[];
}

export type RuleDraft = FieldDraft | EventDraft | EmailDraft | SegmentDraft | OtherDraft;

export interface FieldDraft {
  readonly id: string;
  readonly kind: 'field';
  /** `contact.status`, or `attributes.` and a path. */
  readonly field: string;
  readonly op: Op;
  readonly type: ValueType;
  /** As typed; for `in` and `not_in` one value a text. */
  readonly values: readonly string[];
}

export interface EventDraft {
  readonly id: string;
  readonly kind: 'event';
  readonly isNot: boolean;
  readonly type: string;
  readonly withinHours: number | null;
  readonly atLeast: number | null;
}

export interface EmailDraft {
  readonly id: string;
  readonly kind: 'email';
  readonly isNot: boolean;
  readonly event: Schemas['EmailCondition']['email']['event'];
  readonly template: string | null;
  readonly withinHours: number | null;
}

export interface SegmentDraft {
  readonly id: string;
  readonly kind: 'segment';
  /** Its label; '' as long as none is chosen. */
  readonly segment: string;
}

/** What this editor has no form for; it is kept as it is. */
export interface OtherDraft {
  readonly id: string;
  readonly kind: 'other';
  readonly condition: Condition;
}

export type ValueType = 'text' | 'number' | 'boolean';

export type Op = Schemas['FieldCondition']['op'];

let ids = 0;
/** One that no other draft of this page has. */
function newId(): string {
  ids += 1;
  return `draft-${ids}`;
}

export function emptyGroup(items: readonly Draft[] = []): GroupDraft {
  return { id: newId(), kind: 'group', match: 'all', items };
}

export function newRule(kind: 'field' | 'event' | 'email' | 'segment'): RuleDraft {
  if (kind === 'segment') return { id: newId(), kind, segment: '' };
  if (kind === 'event') return { id: newId(), kind, isNot: false, type: '', withinHours: null, atLeast: null };
  if (kind === 'email') return { id: newId(), kind, isNot: false, event: 'opened', template: null, withinHours: 720 };
  return { id: newId(), kind, field: '', op: 'eq', type: 'text', values: [''] };
}

/** A rule that an attribute is this value, a text, number or boolean in JSON; still to be filled in where the name is '' or there is no such value. */
export function attributeRule(name: string, value: string | null): RuleDraft {
  const id = newId();
  const typed = scalarIn(value);
  return {
    id,
    kind: 'field',
    field: `attributes.${name}`,
    op: 'eq',
    type: typeOf(typed),
    values: [typed === undefined ? '' : String(typed)],
  };
}

function scalarIn(json: string | null): Scalar | undefined {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the operation compares with nothing, with one value, or with several. */
export function valuesOf(op: Op): 'none' | 'one' | 'many' {
  if (op === 'exists' || op === 'not_exists') return 'none';
  return op === 'in' || op === 'not_in' ? 'many' : 'one';
}

/** The outermost is always a group. */
export function toDraft(condition: Condition | null | undefined): GroupDraft {
  if (!condition) return emptyGroup();
  const draft = draftOf(condition);
  return draft.kind === 'group' ? draft : emptyGroup([draft]);
}

function draftOf(condition: Condition): Draft {
  const id = newId();
  if ('all' in condition) return { id, kind: 'group', match: 'all', items: condition.all.map(draftOf) };
  if ('any' in condition) return { id, kind: 'group', match: 'any', items: condition.any.map(draftOf) };
  if ('not' in condition) {
    const { not } = condition;
    // That one thing did not happen is a rule; a group is of others.
    const one = draftOf(not);
    if ((one.kind === 'event' || one.kind === 'email') && !one.isNot) return { ...one, isNot: true };
    return { id, kind: 'group', match: 'none', items: 'any' in not ? not.any.map(draftOf) : [one] };
  }
  if ('event' in condition && typeof condition.event === 'object') {
    const { type, withinHours = null, atLeast = null } = condition.event;
    return { id, kind: 'event', isNot: false, type, withinHours, atLeast };
  }
  if ('email' in condition) {
    const { event, template = null, withinHours = null } = condition.email;
    return { id, kind: 'email', isNot: false, event, template, withinHours };
  }
  if ('field' in condition) {
    const values = condition.value === null || condition.value === undefined ? [] : [condition.value].flat();
    return {
      ...{ id, kind: 'field', field: condition.field, op: condition.op },
      ...{ type: typeOf(values[0]), values: values.length > 0 ? values.map(String) : [''] },
    };
  }
  if ('segment' in condition) return { id, kind: 'segment', segment: condition.segment };
  return { id, kind: 'other', condition };
}

function typeOf(value: unknown): ValueType {
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text';
}

export interface FromDraft {
  readonly condition: Condition | undefined;
  readonly isComplete: boolean;
  /** Which rule each part of it comes from. */
  readonly rules: ReadonlyMap<unknown, RuleDraft>;
}

/** What is to be sent, and whether something in it is still to be filled in. Rules that are not complete are left out. */
export function fromDraft(root: GroupDraft): FromDraft {
  let isComplete = true;
  const rules = new Map<unknown, RuleDraft>();
  const convert = (draft: Draft): Condition | undefined => {
    if (draft.kind === 'group') {
      const items = draft.items.map(convert).filter((item) => item !== undefined);
      const [first] = items;
      if (!first) return undefined;
      if (draft.match === 'none') return { not: items.length === 1 ? first : { any: items } };
      return items.length === 1 ? first : draft.match === 'all' ? { all: items } : { any: items };
    }
    const condition = conditionOf(draft);
    if (condition) rules.set(condition, draft);
    else isComplete = false;
    return condition;
  };
  return { condition: convert(root), isComplete, rules };
}

function conditionOf(rule: RuleDraft): Condition | undefined {
  if (rule.kind === 'other') return rule.condition;
  if (rule.kind === 'event' || rule.kind === 'email') {
    const condition = activityOf(rule);
    return condition && rule.isNot ? { not: condition } : condition;
  }
  if (rule.kind === 'segment') return rule.segment ? { segment: rule.segment } : undefined;
  const { field, op } = rule;
  if (!isField(field)) return undefined;
  const count = valuesOf(op);
  if (count === 'none') return { field, op } as Condition;
  const values = rule.values.filter((value) => value !== '').map((value) => scalarOf(value, rule.type));
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return { field, op, value: count === 'many' ? values : values[0] } as Condition;
}

function activityOf(rule: EventDraft | EmailDraft): Condition | undefined {
  const { withinHours } = rule;
  if (rule.kind === 'event') {
    const { type, atLeast } = rule;
    return type ? { event: { type, ...(withinHours ? { withinHours } : {}), ...(atLeast ? { atLeast } : {}) } } : undefined;
  }
  const { event, template } = rule;
  return { email: { event, ...(template ? { template } : {}), ...(withinHours ? { withinHours } : {}) } };
}

function scalarOf(text: string, type: ValueType): Scalar | undefined {
  if (type === 'boolean') return text === 'true';
  if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : undefined;
  return text;
}

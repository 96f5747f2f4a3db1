import { asFailure } from '../../api/failure.ts';
import { isAt, messageForPeople } from '../../api/issues.ts';
import { capitalized } from '../../letters.ts';
import { fromDraft, type GroupDraft, type RuleDraft } from './condition-draft.ts';

/** What the API refused of rules, by the rule as it was sent: one that was changed since is another. */
export type RuleFaults = ReadonlyMap<RuleDraft, string>;

const WHERE = 'filter.where';

/** Where its rules are to blame for a refusal, and nothing else is. */
export function isOfRules(error: unknown): boolean {
  const { issues = [] } = asFailure(error).details;
  return issues.length > 0 && issues.every(({ path }) => isAt(path, WHERE));
}

/** The rules whose fields were refused, if each thing that was wrong is one of these; else what is wrong has to be said otherwise. */
export function ruleFaults(error: unknown, sent: GroupDraft | undefined): RuleFaults | undefined {
  if (!sent || !isOfRules(error)) return undefined;
  const { condition, rules } = fromDraft(sent);
  const faults = new Map<RuleDraft, string>();
  for (const { path = '', message } of asFailure(error).details.issues ?? []) {
    const steps = path
      .slice(WHERE.length)
      .split(/[.[\]]+/)
      .filter(Boolean);
    const last = steps.pop();
    const at = steps.reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>> | undefined)?.[step], condition);
    const rule = rules.get(at);
    if (!rule || last !== 'field') return undefined;
    faults.set(rule, capitalized(messageForPeople(message)));
  }
  return faults;
}

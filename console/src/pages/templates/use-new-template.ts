import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { useForm } from '../../frame/form.tsx';
import { keyOf } from '../../frame/key-of.ts';
import { notifyDone } from '../../show/notify.ts';
import { PLACEHOLDER } from './placeholder.ts';
import { TEMPLATES, type Template } from './template-queries.ts';
import { declared, type VariableDraft, variableFaults } from './variables-draft.ts';

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** A template before it is made. */
export interface TemplateDraft {
  /** As typed; undefined: made of the name. */
  readonly typedKey: string | undefined;
  readonly type: Template['type'];
  readonly name: string;
  readonly description: string;
  readonly subject: string;
  readonly variables: readonly VariableDraft[];
}

const EMPTY: TemplateDraft = { typedKey: undefined, type: 'marketing', name: '', description: '', subject: '', variables: [] };

/** What is typed of a new template, and the call that makes it. */
export function useNewTemplate() {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(EMPTY);
  const { typedKey, name, description, subject, variables } = draft;
  const key = typedKey ?? keyOf(name);
  const keyFault = key !== '' && !KEY.test(key.trim()) ? 'Use letters, digits, dots, dashes and underscores' : undefined;
  const create = useMutation({
    mutationFn: () => answerOf(api.POST('/templates', { body: bodyOf(draft, key) })),
    onSuccess: async (made) => {
      notifyDone(`${made.key} created. Nothing is sent with it until you turn it on`);
      await queries.invalidateQueries({ queryKey: TEMPLATES });
      navigate(`/${encodeURIComponent(made.key)}`, { replace: true });
    },
  });
  const form = useForm({
    faults: {
      name: name.trim() ? undefined : 'Enter a name',
      key: key.trim() ? keyFault : 'Enter a key',
      subject: subject.trim() ? undefined : 'Enter a subject',
      ...variableFaults(variables),
    },
    error: create.error,
    isPending: create.isPending,
    isUnsaved: Boolean(key || name || description || subject || variables.length > 0),
    onSubmit: create.mutate,
  });
  return { draft, key, keyFault, create, form, set: (changed: Partial<TemplateDraft>) => setDraft((now) => ({ ...now, ...changed })) };
}

/** With a heading and a text to begin with. */
function bodyOf({ type, name, description, subject, variables }: TemplateDraft, key: string) {
  return {
    ...{ key: key.trim(), type, name: name.trim(), subject },
    ...(description.trim() ? { description: description.trim() } : {}),
    ...(variables.length > 0 ? { dataSchema: declared(variables) } : {}),
    content: {
      blocks: [
        { type: 'heading' as const, text: name.trim() },
        { type: 'text' as const, text: PLACEHOLDER },
      ],
    },
  };
}

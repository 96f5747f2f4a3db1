import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useForm } from '../../frame/form.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TEMPLATES, type TemplateSchema } from './template-queries.ts';
import { declared, draftsOf, type VariableDraft, variableFaults } from './variables-draft.ts';
import { VariablesEditor } from './variables-editor.tsx';

interface Given {
  readonly templateKey: string;
  readonly schema: TemplateSchema;
  /** Paths that the mail reads and that nothing declares. */
  readonly found: readonly string[];
  readonly onSaved: (saved: TemplateSchema['declared']) => void;
  readonly onClose: () => void;
}

/** Declares the variables of a template of one's own anew; not those that somebody else has changed meanwhile. */
export function DeclaredVariables({ templateKey, schema, found, onSaved, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  // What is edited began with it.
  const [base] = useState(schema);
  const [variables, setVariables] = useState<readonly VariableDraft[]>(() => draftsOf(base.declared));
  const [isChanged, setChanged] = useState(false);
  const save = useMutation({
    mutationFn: (dataSchema: ReturnType<typeof declared>) =>
      answerOf(
        api.PUT('/templates/{key}/schema', {
          params: { path: { key: templateKey }, query: { ifVersion: base.version } },
          body: { dataSchema },
        }),
      ),
    onSuccess: async (_, saved) => {
      setChanged(false);
      notifyDone('Variables saved');
      onSaved(saved);
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, templateKey, 'schema'] });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, templateKey, 'preview'] });
      onClose();
    },
  });
  const {
    props,
    errorOf: problemOf,
    ask,
  } = useForm({
    faults: variableFaults(variables),
    error: save.error,
    isPending: save.isPending,
    isUnsaved: isChanged,
    onSubmit: () => isChanged && save.mutate(declared(variables)),
  });
  return (
    <form {...props}>
      {save.error ? <FailureNotice error={save.error} /> : null}
      <VariablesEditor
        variables={variables}
        problemOf={problemOf}
        found={found}
        onChange={(changed) => {
          setChanged(true);
          setVariables(changed);
        }}
        action={
          <Group gap="xs">
            <Button variant="default" onClick={() => ask(onClose)}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isChanged} loading={save.isPending}>
              Save variables
            </Button>
          </Group>
        }
      />
    </form>
  );
}

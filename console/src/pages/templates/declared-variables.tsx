import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useFieldErrors } from '../../frame/field-errors.ts';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TEMPLATES, type TemplateSchema } from './template-queries.ts';
import { areComplete, declared, draftsOf, type VariableDraft } from './variables-draft.ts';
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
      notifyDone('The variables are saved');
      onSaved(saved);
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, templateKey, 'schema'] });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, templateKey, 'preview'] });
      onClose();
    },
  });
  useLeaveGuard(isChanged);
  const problemOf = useFieldErrors(save.error);
  return (
    <div>
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
            <Button variant="default" size="xs" onClick={onClose}>
              Cancel
            </Button>
            <Button
              size="xs"
              disabled={!isChanged || !areComplete(variables)}
              loading={save.isPending}
              onClick={() => save.mutate(declared(variables))}
            >
              Save variables
            </Button>
          </Group>
        }
      />
    </div>
  );
}

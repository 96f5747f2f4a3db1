import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Redirect } from 'wouter';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { templateSchemaQuery } from '../templates/template-queries.ts';
import { draftOfRecurring, EMPTY_RECURRING } from './recurring-draft.ts';
import { RecurringForm } from './recurring-form.tsx';
import { editedRecurringQuery, RECURRING_LIST } from './recurring-queries.ts';

/** Writes a new one. */
export function NewRecurring(): ReactNode {
  return <RecurringForm recurring={undefined} first={EMPTY_RECURRING} onAnew={() => undefined} />;
}

/** Changes one that has not ended. */
export function EditRecurring({ id }: { readonly id: string }): ReactNode {
  const queries = useQueryClient();
  const [times, setTimes] = useState(0);
  const onAnew = (): void => {
    queries.removeQueries({ queryKey: editedRecurringQuery(id).queryKey });
    setTimes(times + 1);
  };
  return <Opened key={times} id={id} onAnew={onAnew} />;
}

function Opened({ id, onAnew }: { readonly id: string; readonly onAnew: () => void }): ReactNode {
  const { data: recurring, error, isFetching, refetch } = useQuery(editedRecurringQuery(id));
  // Its template may be no more: then nothing is known of what it takes.
  const schema = useQuery({
    ...templateSchemaQuery(recurring?.template ?? '', recurring?.brand ?? undefined),
    enabled: recurring !== undefined,
    retry: false,
  });
  if (recurring?.status === 'ended') return <Redirect to={`/${id}`} replace />;
  if (recurring && !isFetching && (schema.data || schema.error))
    return <RecurringForm recurring={recurring} first={draftOfRecurring(recurring, schema.data)} onAnew={onAnew} />;
  return (
    <Page title={error ? 'Recurring campaign' : undefined} back={RECURRING_LIST}>
      {error ? <Unread error={error} onRetry={refetch} what="recurring campaign" back={RECURRING_LIST} /> : null}
    </Page>
  );
}

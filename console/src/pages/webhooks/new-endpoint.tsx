import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { FormDialog } from '../../frame/form.tsx';
import { EndpointForm, type EndpointGiven } from './endpoint-form.tsx';
import { EndpointSecret } from './endpoint-secret.tsx';
import { WEBHOOKS } from './webhook-queries.ts';

/** Adds an endpoint; then shows its secret, once. */
export function NewEndpoint({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const create = useMutation({
    mutationFn: (body: EndpointGiven) => answerOf(api.POST('/webhooks', { body })),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: WEBHOOKS });
    },
  });
  const close = (): void => {
    create.reset();
    onClose();
  };
  const stored = (): void => {
    const id = create.data?.endpoint.id;
    create.reset();
    if (id) navigate(`/${id}`);
  };
  return (
    <>
      <FormDialog opened={opened} onClose={close} title="Add endpoint" size="lg">
        <EndpointForm action="Add endpoint" isPending={create.isPending} error={create.error} onSubmit={(given) => create.mutate(given)} />
      </FormDialog>
      <EndpointSecret secret={create.data?.secret} onStored={stored} />
    </>
  );
}

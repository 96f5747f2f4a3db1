import { Button, Menu, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { IconBroadcast, IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { MOST_OVERLAP_HOURS } from '../../api/limits.ts';
import { FormDialog } from '../../frame/form.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import { EndpointForm, type EndpointGiven } from './endpoint-form.tsx';
import { EndpointSecret } from './endpoint-secret.tsx';
import type { Pinged } from './ping-answer.tsx';
import { type Endpoint, WEBHOOKS } from './webhook-queries.ts';

interface Given {
  readonly endpoint: Endpoint;
  readonly onPinged: (pinged: Pinged) => void;
}

/** All that can be done to an endpoint, for keys that may. */
export function EndpointActions(given: Given): ReactNode {
  const { may } = useSession();
  if (may('PATCH /webhooks/{id}')) return <Actions {...given} />;
  return <ReadsOnly things="webhooks" doing="changing" operation="PATCH /webhooks/{id}" />;
}

function Actions({ endpoint, onPinged }: Given): ReactNode {
  const [asked, setAsked] = useState<'change' | 'toggle' | 'rotate' | 'delete'>();
  const close = (): void => setAsked(undefined);
  const params = { path: { id: endpoint.id } };
  const ping = useMutation({ mutationFn: () => answerOf(api.POST('/webhooks/{id}/ping', { params })), onSuccess: onPinged });
  return (
    <>
      {ping.error ? (
        <Modal opened onClose={ping.reset} title="Ping not sent">
          <FailureNotice error={ping.error} onRetry={ping.mutate} />
        </Modal>
      ) : null}
      <Button variant="default" leftSection={<IconBroadcast size={14} />} loading={ping.isPending} onClick={() => ping.mutate()}>
        Ping
      </Button>
      <Button leftSection={<IconPencil size={14} />} onClick={() => setAsked('change')}>
        Edit…
      </Button>
      <MoreActions>
        <Menu.Item
          leftSection={endpoint.enabled ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
          onClick={() => setAsked('toggle')}
        >
          {endpoint.enabled ? 'Disable…' : 'Enable…'}
        </Menu.Item>
        <Menu.Item leftSection={<IconKey size={15} />} onClick={() => setAsked('rotate')}>
          Rotate secret…
        </Menu.Item>
        <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => setAsked('delete')}>
          Delete endpoint…
        </Menu.Item>
      </MoreActions>
      <FormDialog opened={asked === 'change'} onClose={close} title="Edit the endpoint" size="lg">
        <Change endpoint={endpoint} onClose={close} />
      </FormDialog>
      <Toggle endpoint={endpoint} opened={asked === 'toggle'} onClose={close} />
      <Rotate endpoint={endpoint} opened={asked === 'rotate'} onClose={close} />
      <Delete endpoint={endpoint} opened={asked === 'delete'} onClose={close} />
    </>
  );
}

function Change({ endpoint, onClose }: { readonly endpoint: Endpoint; readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (body: Partial<EndpointGiven>) => answerOf(api.PATCH('/webhooks/{id}', { params: { path: { id: endpoint.id } }, body })),
    onSuccess: async () => {
      onClose();
      notifyDone('Endpoint saved');
      await queries.invalidateQueries({ queryKey: WEBHOOKS });
    },
  });
  return (
    <EndpointForm
      endpoint={endpoint}
      action="Save"
      isPending={change.isPending}
      error={change.error}
      onSubmit={(_, changes) => change.mutate(changes)}
    />
  );
}

interface Asked {
  readonly endpoint: Endpoint;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Toggle({ endpoint, opened, onClose }: Asked): ReactNode {
  const queries = useQueryClient();
  const { id, enabled } = endpoint;
  const toggle = useMutation({
    mutationFn: () => answerOf(api.PATCH('/webhooks/{id}', { params: { path: { id } }, body: { enabled: !enabled } })),
    onSuccess: async ({ endpoint: changed }) => {
      onClose();
      notifyDone(changed.enabled ? 'Endpoint enabled' : 'Endpoint disabled');
      await queries.invalidateQueries({ queryKey: WEBHOOKS });
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={enabled ? 'Disable this endpoint?' : 'Enable this endpoint?'}
      action={enabled ? 'Disable' : 'Enable'}
      mutation={toggle}
    >
      <Text size="sm">
        {enabled
          ? 'Events that happen while it is disabled are never sent to it. Pending deliveries pause until it is enabled again.'
          : 'It gets events from now on, and pending deliveries continue. Events that happened while it was disabled are not sent.'}
      </Text>
    </Confirm>
  );
}

function Rotate({ endpoint, opened, onClose }: Asked): ReactNode {
  const [overlapHours, setOverlapHours] = useState(24);
  const [secret, setSecret] = useState<string>();
  const rotate = useMutation({
    mutationFn: () => answerOf(api.POST('/webhooks/{id}/rotate', { params: { path: { id: endpoint.id } }, body: { overlapHours } })),
    onSuccess: (answer) => {
      onClose();
      setSecret(answer.secret);
    },
  });
  return (
    <>
      <Confirm opened={opened} onClose={onClose} title="Rotate the signing secret?" action="Rotate secret" mutation={rotate}>
        <Stack gap="sm">
          <Text size="sm">The new one signs from now on, retries of earlier events too.</Text>
          <NumberInput
            label="Hours the old secret stays valid"
            description="With 0 the old secret stops at once, and your receiver rejects calls until it has the new one"
            min={0}
            max={MOST_OVERLAP_HOURS}
            clampBehavior="strict"
            value={overlapHours}
            onChange={(hours) => setOverlapHours(Number(hours) || 0)}
          />
        </Stack>
      </Confirm>
      <EndpointSecret secret={secret} onStored={() => setSecret(undefined)} />
    </>
  );
}

function Delete({ endpoint, opened, onClose }: Asked): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/webhooks/{id}', { params: { path: { id: endpoint.id } } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      notifyDone('Endpoint deleted');
      queries.removeQueries({ queryKey: [...WEBHOOKS, endpoint.id] });
      await queries.invalidateQueries({ queryKey: WEBHOOKS });
    },
  });
  return (
    <Confirm opened={opened} onClose={onClose} title="Delete this endpoint?" action="Delete" isFinal mutation={remove}>
      <Text size="sm">{endpoint.url} gets nothing any more, and what is queued for it is dropped. There is no way back.</Text>
    </Confirm>
  );
}

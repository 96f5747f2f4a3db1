import { Alert, JsonInput, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { keysOf } from '../../frame/choices.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { jsonFault } from '../../frame/json-fault.ts';
import { isObject } from '../../json.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { EVENT_WORDS } from './event-words.ts';
import { ReceiverAnswer } from './receiver-answer.tsx';
import type { Answer, EventType } from './webhook-queries.ts';

interface Given {
  readonly endpoint: string;
  /** What the event begins as. */
  readonly type: string;
  readonly data: unknown;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** An event that a person writes and sends to an endpoint to see what it answers. */
export function TryOut({ opened, onClose, ...given }: Given): ReactNode {
  return (
    <FormDialog opened={opened} onClose={onClose} title="Send an event as a test" size="lg">
      <Trial {...given} onClose={onClose} />
    </FormDialog>
  );
}

function Trial({ endpoint, type: firstType, data, onClose }: Omit<Given, 'opened'>): ReactNode {
  const [type, setType] = useState(firstType as EventType);
  const [first] = useState(() => JSON.stringify(data, null, 2));
  const [text, setText] = useState(first);
  const send = useMutation({
    mutationFn: () =>
      answerOf(api.POST('/webhooks/{id}/ping', { params: { path: { id: endpoint } }, body: { type, data: JSON.parse(text) } })),
  });
  const { props, errorOf } = useForm({
    faults: { data: faultOf(text) },
    error: send.error,
    isPending: send.isPending,
    isUnsaved: text !== first && !send.isSuccess,
    onSubmit: () => send.mutate(),
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm">Sent once, signed like any event, with the header everpost-test. It is not recorded as a delivery.</Text>
        <Select
          label="Event"
          data={keysOf(EVENT_WORDS)}
          allowDeselect={false}
          value={type}
          onChange={(chosen) => setType(chosen as EventType)}
        />
        <JsonInput
          label="Data"
          autosize
          minRows={6}
          maxRows={16}
          required
          value={text}
          error={errorOf('data')}
          onChange={setText}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 'var(--mantine-font-size-xs)' } }}
        />
        {send.error ? <FailureNotice error={send.error} /> : null}
        {send.data ? <Came {...send.data} /> : null}
        <FormEnd action={send.data ? 'Send again' : 'Send test'} isPending={send.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function faultOf(text: string): string | undefined {
  const fault = jsonFault(text);
  if (fault !== undefined) return fault;
  return isObject(JSON.parse(text)) ? undefined : 'Enter a JSON object such as { "a": 1 }';
}

interface Answered {
  readonly delivered: boolean;
  /** null: there was no answer. */
  readonly responseStatus: number | null;
  readonly milliseconds?: number | undefined;
  readonly error?: string | null | undefined;
  readonly response?: Answer | null | undefined;
}

function Came({ delivered, responseStatus, milliseconds, error, response }: Answered): ReactNode {
  return (
    <Alert role="status" color={delivered ? 'teal' : 'red'} title={delivered ? 'Test accepted' : 'Test rejected'}>
      <Text size="sm">
        {responseStatus === null ? `No response: ${error}` : `Response ${responseStatus}`} after {milliseconds?.toLocaleString('en')} ms.
      </Text>
      {response ? <ReceiverAnswer answer={response} label="of the test" /> : null}
    </Alert>
  );
}

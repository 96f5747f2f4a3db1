import { Button, Checkbox, Group, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useFieldErrors } from '../../frame/field-errors.ts';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { EVENT_WORDS } from './event-words.ts';
import type { Endpoint, EventType } from './webhook-queries.ts';

/** `events`: null is all of them. */
export interface EndpointGiven {
  readonly url: string;
  readonly events: EventType[] | null;
}

interface Given {
  /** What it is changed from. */
  readonly endpoint?: Endpoint;
  readonly action: string;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (given: EndpointGiven) => void;
  readonly onCancel: () => void;
}

/** The address of an endpoint and what it gets. */
export function EndpointForm({ endpoint, action, isPending, error, onSubmit, onCancel }: Given): ReactNode {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [isAll, setIsAll] = useState(!endpoint?.events);
  const [events, setEvents] = useState<readonly EventType[]>(endpoint?.events ?? []);
  const given: EndpointGiven = { url: url.trim(), events: isAll ? null : [...events] };
  const [first] = useState(given);
  useLeaveGuard(JSON.stringify(given) !== JSON.stringify(first));
  const errorOf = useFieldErrors(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(given);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="URL"
          type="url"
          placeholder="https://example.com/hooks/everpost"
          description="https, at a public address"
          maxLength={2048}
          required
          withAsterisk={false}
          data-autofocus
          value={url}
          error={errorOf('url')}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Radio.Group label="Events" value={isAll ? 'all' : 'some'} onChange={(value) => setIsAll(value === 'all')}>
          <Group mt={6} gap="lg">
            <Radio value="all" label="All, those of later versions too" size="sm" />
            <Radio value="some" label="Only some" size="sm" />
          </Group>
        </Radio.Group>
        {isAll ? null : (
          <Checkbox.Group aria-label="Which events" value={[...events]} onChange={(chosen) => setEvents(chosen as EventType[])}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
              {(Object.keys(EVENT_WORDS) as EventType[]).map((name) => (
                <Checkbox key={name} value={name} label={name} description={EVENT_WORDS[name]} size="sm" />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        )}
        {error ? <FailureNotice error={error} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={!url.trim() || (!isAll && events.length === 0)}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Checkbox, Group, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { LONGEST_URL } from '../../api/limits.ts';
import { keysOf } from '../../frame/choices.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { EVENT_WORDS } from './event-words.ts';
import type { Endpoint, EventType } from './webhook-queries.ts';

/** `events`: null is all of them. */
export interface EndpointGiven {
  readonly url: string;
  readonly events: EventType[] | null;
  readonly keepAnswers: boolean;
}

interface Given {
  /** What it is changed from. */
  readonly endpoint?: Endpoint;
  readonly action: string;
  readonly isPending: boolean;
  readonly error: unknown;
  /** `changes`: what differs from what it is changed from, so that what others changed meanwhile stays. */
  readonly onSubmit: (given: EndpointGiven, changes: Partial<EndpointGiven>) => void;
}

/** The mailbox tells a trial, whose receiver is mostly on the same machine. */
const PUBLIC_IN_TRIAL = 'An https URL on a public address. For a receiver on your own machine, start Everpost with WEBHOOK_ALLOW_PRIVATE=1';

/** The address of an endpoint and what it gets, in a dialog. */
export function EndpointForm({ endpoint, action, isPending, error, onSubmit }: Given): ReactNode {
  const { private_webhooks, mailbox } = useSession();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [isAll, setIsAll] = useState(!endpoint?.events);
  const [events, setEvents] = useState<readonly EventType[]>(endpoint?.events ?? []);
  const [keepAnswers, setKeepAnswers] = useState(endpoint ? endpoint.keep_answers === true : true);
  const given: EndpointGiven = { url: url.trim(), events: isAll ? null : [...events], keepAnswers };
  const [first] = useState(given);
  const changes: Partial<EndpointGiven> = {
    ...(given.url === first.url ? {} : { url: given.url }),
    ...(JSON.stringify(given.events) === JSON.stringify(first.events) ? {} : { events: given.events }),
    ...(keepAnswers === first.keepAnswers ? {} : { keepAnswers }),
  };
  const isChanged = Object.keys(changes).length > 0;
  const { props, errorOf, close } = useForm({
    faults: {
      url: given.url ? undefined : 'Enter a URL',
      events: given.events?.length === 0 ? 'Choose at least one' : undefined,
    },
    error,
    isPending,
    isUnsaved: isChanged,
    onSubmit: () => onSubmit(given, changes),
  });
  const isToldAtField = ['url', 'events'].some((name) => errorOf(name) !== undefined);
  return (
    <form {...props}>
      <Stack gap="md">
        <TextInput
          label="URL"
          type="url"
          placeholder="https://example.com/hooks/everpost"
          description={
            private_webhooks
              ? 'An http or https URL that the server can reach'
              : mailbox
                ? PUBLIC_IN_TRIAL
                : 'An https URL on a public address'
          }
          maxLength={LONGEST_URL}
          required
          data-autofocus
          value={url}
          error={errorOf('url')}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <EventsChoice isAll={isAll} onAll={setIsAll} events={events} onChange={setEvents} error={errorOf('events')} />
        <Checkbox
          label="Keep response bodies"
          description="Keeps the first 2 KB of each response, so you can see why a delivery failed, the first one included. A response may repeat personal data it was sent."
          size="sm"
          checked={keepAnswers}
          onChange={(event) => setKeepAnswers(event.currentTarget.checked)}
        />
        {error && !isToldAtField ? <FailureNotice error={error} /> : null}
        <FormEnd action={action} isPending={isPending} disabled={endpoint !== undefined && !isChanged} onCancel={close} />
      </Stack>
    </form>
  );
}

interface EventsGiven {
  readonly isAll: boolean;
  readonly onAll: (isAll: boolean) => void;
  readonly events: readonly EventType[];
  readonly onChange: (events: readonly EventType[]) => void;
  readonly error: string | undefined;
}

/** All events, or which ones. */
function EventsChoice({ isAll, onAll, events, onChange, error }: EventsGiven): ReactNode {
  return (
    <>
      <Radio.Group label="Events" value={isAll ? 'all' : 'some'} onChange={(value) => onAll(value === 'all')}>
        <Group mt={6} gap="lg">
          <Radio value="all" label="All events, including ones added later" size="sm" />
          <Radio value="some" label="Selected events" size="sm" />
        </Group>
      </Radio.Group>
      {isAll ? null : (
        <Checkbox.Group aria-label="Events" value={[...events]} error={error} onChange={(chosen) => onChange(chosen as EventType[])}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
            {keysOf(EVENT_WORDS).map((name) => (
              <Checkbox
                key={name}
                value={name}
                label={name}
                description={EVENT_WORDS[name]}
                size="sm"
                aria-invalid={error === undefined ? undefined : true}
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </>
  );
}

import { Button, Menu, Stack, Text } from '@mantine/core';
import { IconArchive, IconPencil, IconPlayerPause, IconPlayerPlay, IconUsers } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { FormDialog } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone } from '../../show/notify.ts';
import { Enroll } from './enroll.tsx';
import { LackingData } from './lacking-data-notice.tsx';
import { OffTemplates } from './off-templates.tsx';
import { SegmentEnroll } from './segment-enroll.tsx';
import { SEQUENCES, type SequenceGraph, type SequenceStatus, warningsQuery } from './sequence-queries.ts';

interface Question {
  readonly to: SequenceStatus;
  readonly title: string;
  readonly action: string;
  readonly text: string;
  readonly done: string;
  readonly isFinal?: boolean;
}

const PAUSE: Question = {
  to: 'paused',
  title: 'Pause',
  action: 'Pause',
  text: 'Nobody enters it any more, and its runs hold before their next mail until it is resumed. Waits go on.',
  done: 'is paused',
};
const ACTIVATE: Question = {
  to: 'active',
  title: 'Activate',
  action: 'Activate',
  text: 'Whoever its triggers name enters it from now on.',
  done: 'is active',
};
/** Where no event is a trigger. */
const ACTIVATE_UNENTERED = 'Nobody enters by itself: contacts are enrolled from here or by the API.';
const RESUME: Question = {
  to: 'active',
  title: 'Resume',
  action: 'Resume',
  text: 'Runs that were held send their mail now, and contacts enter it again.',
  done: 'is active again',
};
const ARCHIVE: Question = {
  to: 'archived',
  title: 'Archive',
  action: 'Archive',
  text: 'All its runs end, and nothing more is sent. An archived sequence can be made a draft again; its ended runs stay ended.',
  done: 'is archived',
  isFinal: true,
};
const DRAFT: Question = {
  to: 'draft',
  title: 'Make a draft of',
  action: 'Make a draft',
  text: 'It can be changed and activated again. Runs that ended stay ended.',
  done: 'is a draft',
};

const MAIN: Readonly<Record<SequenceStatus, Question>> = { active: PAUSE, paused: RESUME, draft: ACTIVATE, archived: DRAFT };
const ICONS = { Pause: IconPlayerPause, Resume: IconPlayerPlay, Activate: IconPlayerPlay, 'Make a draft': IconPencil } as const;

function isEntered({ triggers }: SequenceGraph): boolean {
  return triggers.some(({ enabled }) => enabled);
}

interface Given {
  readonly graph: SequenceGraph;
  /** The page has no button of its own that matters more. */
  readonly isEditMain: boolean;
}

/** What can be done with a sequence; changes of its status ask first. */
export function SequenceActions({ graph, isEditMain }: Given): ReactNode {
  const { may } = useSession();
  const mayChange = may('PATCH /sequences/{key}');
  const [asked, setAsked] = useState<Question>();
  const [isOpen, setIsOpen] = useState(false);
  const [isEnrolling, setIsEnrolling] = useState(false);
  // Into a paused one they enter when it is resumed.
  const isEnterable = graph.status === 'active' || graph.status === 'paused';
  const mayEnrollSegment = isEnterable && may('POST /sequences/{key}/bulk-enrollments') && may('GET /segments');
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      answerOf(api.PATCH('/sequences/{key}', { params: { path: { key: graph.key } }, body: { status: asked?.to ?? graph.status } })),
    onSuccess: async ({ warnings = [] }) => {
      setIsOpen(false);
      queries.setQueryData(warningsQuery(graph.key).queryKey, warnings);
      notifyDone(`${graph.name} ${asked?.done ?? 'is changed'}`);
      await queries.invalidateQueries({ queryKey: SEQUENCES });
    },
  });
  const ask = (question: Question): void => {
    setAsked(question);
    setIsOpen(true);
  };
  const main = MAIN[graph.status];
  const MainIcon = ICONS[main.action as keyof typeof ICONS];
  return (
    <>
      {graph.status === 'active' ? <Enroll graph={graph} /> : null}
      {mayChange ? (
        <Button variant="default" leftSection={<MainIcon size={14} />} onClick={() => ask(main)}>
          {main.action}…
        </Button>
      ) : null}
      {may('PUT /sequences/{key}') ? (
        <Button
          component={Link}
          href={`/${graph.key}/edit`}
          variant={isEditMain ? 'filled' : 'default'}
          leftSection={<IconPencil size={14} />}
        >
          Edit
        </Button>
      ) : null}
      {graph.status === 'archived' || !(mayChange || mayEnrollSegment) ? null : (
        <MoreActions>
          {mayEnrollSegment ? (
            <Menu.Item leftSection={<IconUsers size={15} />} onClick={() => setIsEnrolling(true)}>
              Enroll a segment…
            </Menu.Item>
          ) : null}
          {mayChange ? (
          <Menu.Item color="var(--mantine-color-error)" leftSection={<IconArchive size={15} />} onClick={() => ask(ARCHIVE)}>
            Archive sequence…
          </Menu.Item>
          ) : null}
        </MoreActions>
      )}
      <FormDialog opened={isEnrolling} onClose={() => setIsEnrolling(false)} title={`Enroll everybody in a segment into ${graph.name}`}>
        <SegmentEnroll graph={graph} onDone={() => setIsEnrolling(false)} />
      </FormDialog>
      <Confirm
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={`${asked?.title ?? ''} ${graph.name}?`}
        action={asked?.action ?? ''}
        isFinal={asked?.isFinal ?? false}
        mutation={change}
      >
        <Stack gap="sm">
          <Text size="sm">{asked === ACTIVATE && !isEntered(graph) ? ACTIVATE_UNENTERED : asked?.text}</Text>
          {asked?.to === 'active' ? (
            <>
              <OffTemplates graph={graph} />
              <LackingData graph={graph} />
            </>
          ) : null}
        </Stack>
      </Confirm>
    </>
  );
}

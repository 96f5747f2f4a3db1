import { Button, Menu } from '@mantine/core';
import { IconArchive, IconPencil, IconPlayerPause, IconPlayerPlay, IconUsers } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { FormDialog } from '../../frame/form.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { Enroll } from './enroll.tsx';
import { SegmentEnroll } from './segment-enroll.tsx';
import type { SequenceGraph } from './sequence-queries.ts';
import { ARCHIVE, MAIN, type StatusChange, StatusQuestion } from './status-question.tsx';

const ICONS = { Pause: IconPlayerPause, Resume: IconPlayerPlay, Activate: IconPlayerPlay, 'Turn into draft': IconPencil } as const;

interface Given {
  readonly graph: SequenceGraph;
  /** The page has no button of its own that matters more. */
  readonly isEditMain: boolean;
}

/** What can be done with a sequence; changes of its status ask first. */
export function SequenceActions({ graph, isEditMain }: Given): ReactNode {
  const { may } = useSession();
  const mayChange = may('PATCH /sequences/{key}');
  const [asked, setAsked] = useState<StatusChange>(MAIN[graph.status]);
  const [isOpen, setIsOpen] = useState(false);
  const ask = (change: StatusChange): void => {
    setAsked(change);
    setIsOpen(true);
  };
  const main = MAIN[graph.status];
  const MainIcon = ICONS[main.action as keyof typeof ICONS];
  if (!mayChange) return <ReadsOnly things="sequences" doing="changing" operation="PATCH /sequences/{key}" />;
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
      <Further graph={graph} onArchive={mayChange ? () => ask(ARCHIVE) : undefined} />
      <StatusQuestion graph={graph} change={asked} opened={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}

interface FurtherGiven {
  readonly graph: SequenceGraph;
  /** Absent: the key may not. */
  readonly onArchive: (() => void) | undefined;
}

/** What is done with a sequence now and then, as far as the key may. */
function Further({ graph, onArchive }: FurtherGiven): ReactNode {
  const { may } = useSession();
  const [isEnrolling, setIsEnrolling] = useState(false);
  // Into a paused one they enter when it is resumed.
  const isEnterable = graph.status === 'active' || graph.status === 'paused';
  const mayEnroll = isEnterable && may('POST /sequences/{key}/bulk-enrollments') && may('GET /segments');
  if (graph.status === 'archived' || !(mayEnroll || onArchive)) return null;
  return (
    <>
      <MoreActions>
        {mayEnroll ? (
          <Menu.Item leftSection={<IconUsers size={15} />} onClick={() => setIsEnrolling(true)}>
            Enroll a segment…
          </Menu.Item>
        ) : null}
        {onArchive ? (
          <Menu.Item color="var(--mantine-color-error)" leftSection={<IconArchive size={15} />} onClick={onArchive}>
            Archive sequence…
          </Menu.Item>
        ) : null}
      </MoreActions>
      <FormDialog opened={isEnrolling} onClose={() => setIsEnrolling(false)} title={`Enroll a segment into ${graph.name}`}>
        <SegmentEnroll graph={graph} onDone={() => setIsEnrolling(false)} />
      </FormDialog>
    </>
  );
}

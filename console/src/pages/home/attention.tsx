import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { type Session, useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import classes from './home.module.css';
import { type AttentionItem, attentionQuery } from './home-queries.ts';

/** What keeps mail from leaving comes first. */
const FIRST_SHOWN = 5;

/** What somebody should look at; nothing but a line when all is well. */
export function Attention(): ReactNode {
  const [isAllShown, setIsAllShown] = useState(false);
  const { data, error, refetch } = useQuery(attentionQuery());
  if (error && !data) return <FailureNotice error={error} onRetry={refetch} />;
  if (!data) return null;
  if (data.length === 0) {
    return (
      <Group gap={6} c="dimmed" wrap="nowrap" align="flex-start">
        <IconCircleCheck size={17} className={classes.well} aria-hidden />
        <Text size="sm">Nothing needs a look: senders are verified, endpoints take their deliveries, nothing is held.</Text>
      </Group>
    );
  }
  const shown = isAllShown ? data : data.slice(0, FIRST_SHOWN);
  return (
    <Panel title="Needs a look" flush>
      <ul className={classes.items}>
        {shown.map((item) => (
          <li key={`${item.kind} ${item.about}`} className={classes.item}>
            <IconAlertTriangle size={16} className={classes.warning} aria-hidden />
            <Text size="sm" className={classes.message}>
              {asSentence(item.message)}
            </Text>
            <Ways item={item} />
          </li>
        ))}
      </ul>
      {data.length > shown.length ? (
        <Button variant="subtle" color="gray" m={6} onClick={() => setIsAllShown(true)}>
          Show {data.length - shown.length} more
        </Button>
      ) : null}
    </Panel>
  );
}

/** The links to what an item is about, where the console has it and the key may see it. */
function Ways({ item }: { readonly item: AttentionItem }): ReactNode {
  const { may } = useSession();
  return (
    <Group gap="sm" className={classes.ways}>
      {waysOf(item, may).map(({ label, to }) => (
        <Anchor key={to} component={Link} href={inConsole(to)} size="sm" truncate maw={180}>
          {label}
        </Anchor>
      ))}
    </Group>
  );
}

interface Way {
  readonly label: string;
  readonly to: string;
}

const MOST_SEQUENCES = 3;

/** What is missing here is mended where Everpost runs: the message says how. */
function waysOf({ kind, about, sequences = [] }: AttentionItem, may: Session['may']): readonly Way[] {
  if (kind === 'webhook_failing') return [{ label: 'Deliveries', to: `/webhooks/${about}` }];
  if (kind === 'campaign_held') return [{ label: 'Campaign', to: `/campaigns/${about}` }];
  if (kind !== 'runs_held' || !may('sequences:write')) return [];
  return sequences.slice(0, MOST_SEQUENCES).map((key) => ({ label: key, to: `/sequences/${encodeURIComponent(key)}` }));
}

/** With a capital, unless it begins with an address. */
function asSentence(message: string): string {
  return /^[a-z]+:/.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);
}

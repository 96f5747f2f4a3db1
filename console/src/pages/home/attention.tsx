import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import type { Scope } from '../../session/me.ts';
import { useSession } from '../../session/session.tsx';
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
            <Way item={item} />
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

/** The link to what an item is about, where the console has it and the key may see it. */
function Way({ item: { kind, about } }: { readonly item: AttentionItem }): ReactNode {
  const { may } = useSession();
  const way = WAYS[kind];
  if (!way || (way.scope && !may(way.scope))) return null;
  return (
    <Anchor component={Link} href={inConsole(way.to(about ?? ''))} size="sm" className={classes.way}>
      {way.label}
    </Anchor>
  );
}

interface WayTo {
  readonly label: string;
  readonly to: (about: string) => string;
  readonly scope?: Scope;
}

/** What is missing here is mended where Everpost runs: the message says how. */
const WAYS: Readonly<Partial<Record<AttentionItem['kind'], WayTo>>> = {
  webhook_failing: { label: 'Deliveries', to: (id) => `/webhooks/${id}` },
  campaign_held: { label: 'Campaign', to: (id) => `/campaigns/${id}` },
  runs_held: { label: 'Sequences', to: () => '/sequences', scope: 'sequences:write' },
};

/** With a capital, unless it begins with an address. */
function asSentence(message: string): string {
  return /^[a-z]+:/.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);
}

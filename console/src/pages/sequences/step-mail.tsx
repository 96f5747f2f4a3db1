import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { useSession } from '../../session/session.tsx';
import { templateHref, templatesQuery } from '../templates/template-queries.ts';
import type { ConfigOf } from './graph/node-kinds.ts';
import type { GraphNode } from './sequence-queries.ts';
import { SimulatedMail } from './simulated-mail.tsx';

/** For a made-up contact, without an event. */
const SAMPLE = {};

/** From a step that sends to its template and its email; nothing of another step, or where the project has no such template. */
export function StepMail({ node }: { readonly node: GraphNode }): ReactNode {
  return node.kind === 'send_email' ? <Ways node={node} /> : null;
}

function Ways({ node }: { readonly node: GraphNode }): ReactNode {
  const { may } = useSession();
  const [isShown, setIsShown] = useState(false);
  const { template = '', brand } = (node.config ?? {}) as Partial<ConfigOf<'send_email'>>;
  const { data: templates } = useQuery(templatesQuery(brand ?? undefined));
  if (!templates?.some(({ key }) => key === template)) return null;
  return (
    <Group gap="md" mt="xs">
      <Anchor component={Link} href={inConsole(`/templates${templateHref(template, brand)}`)} size="sm">
        {may('PUT /templates/{key}/content') ? 'Edit template' : 'View template'}
      </Anchor>
      <Anchor component="button" type="button" size="sm" onClick={() => setIsShown(true)}>
        Preview email
      </Anchor>
      <SimulatedMail node={isShown ? node : undefined} input={SAMPLE} onClose={() => setIsShown(false)} />
    </Group>
  );
}

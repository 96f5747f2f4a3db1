import { Modal, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PreviewFrame } from '../../show/preview-frame.tsx';
import { PreviewNotes } from '../templates/preview-notes.tsx';
import { type MailData, SAMPLE_CONTACT, templatePreviewQuery } from '../templates/template-queries.ts';
import type { ConfigOf } from './graph/node-kinds.ts';
import type { GraphNode, SimulationInput } from './sequence-queries.ts';

const WIDTH = 600;

/** What of a simulation its mails are made with. */
type Shown = Pick<SimulationInput, 'contactId' | 'contact' | 'event'>;

interface Given {
  /** A step that sends a mail; undefined: nothing is shown. */
  readonly node: GraphNode | undefined;
  /** Whom it was simulated for, and with which event. */
  readonly input: Shown;
  readonly onClose: () => void;
}

/** The mail of a step as the contact of a simulation would get it. */
export function SimulatedMail({ node, input, onClose }: Given): ReactNode {
  return (
    <Modal opened={node !== undefined} onClose={onClose} title={node ? `Email of ${node.id}` : ''} size={WIDTH + 48}>
      {node ? <Mail config={node.config as ConfigOf<'send_email'>} input={input} /> : null}
    </Modal>
  );
}

function Mail({ config, input }: { readonly config: ConfigOf<'send_email'>; readonly input: Shown }): ReactNode {
  const scheme = useComputedColorScheme('light');
  const { template, subject, brand, data } = config;
  const { timezone, tags, attributes } = input.contact ?? {};
  const event = input.event?.payload;
  const {
    data: preview,
    error,
    refetch,
  } = useQuery({
    ...templatePreviewQuery(template, {
      data: { ...(event ? { event } : {}), ...data } as MailData,
      brand: brand ?? undefined,
      subject: subject ?? undefined,
      // As a run sends it.
      version: 'published',
      contactId: input.contactId ?? undefined,
      contact: { ...SAMPLE_CONTACT, timezone, tags, attributes },
    }),
    placeholderData: undefined,
  });
  return (
    <Stack gap="sm">
      {preview ? (
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {preview.subject}
        </Text>
      ) : null}
      <PreviewNotes preview={preview} error={error} onRetry={refetch} />
      {preview ? <PreviewFrame html={preview.html} width={WIDTH} scheme={scheme} title={`Email by ${template}`} /> : null}
    </Stack>
  );
}

import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { useFocusReturn } from '../../show/focus-return.ts';
import { notifyDone } from '../../show/notify.ts';
import { hasPlaceholder, STILL_PLACEHOLDER } from '../templates/placeholder.ts';
import { sentContent, TEMPLATES, templateContentQuery, templatesQuery } from '../templates/template-queries.ts';
import type { SequenceGraph } from './sequence-queries.ts';

/** The templates of a sequence that are off, so that its mails would fail, each with what turns it on. Nothing when all are on. */
export function OffTemplates({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  // Of the project's default brand: which one a contact will have nobody knows.
  const { data } = useQuery(templatesQuery());
  const queries = useQueryClient();
  const { may } = useSession();
  const enable = useMutation({
    mutationFn: (key: string) => answerOf(api.PUT('/templates/{key}', { params: { path: { key } }, body: { enabled: true } })),
    onSuccess: async ({ key }) => {
      notifyDone(`${key} turned on`);
      await queries.invalidateQueries({ queryKey: TEMPLATES });
    },
  });
  const returnFocus = useFocusReturn(enable.isPending);
  const used = new Set(graph.nodes.flatMap(({ kind, config }) => (kind === 'send_email' && !config?.brand ? [config?.template] : [])));
  const off = data?.filter(({ key, enabled }) => !enabled && used.has(key)) ?? [];
  if (off.length === 0) return null;
  return (
    <Alert
      color="orange"
      role="alert"
      icon={<IconMailOff size={18} />}
      title={off.length === 1 ? 'One template it uses is off' : `${off.length} templates it uses are off`}
    >
      <Stack gap={6}>
        <Text size="sm">
          Mails by {off.length === 1 ? 'it' : 'them'} fail until {off.length === 1 ? 'it is' : 'they are'} turned on.
        </Text>
        {off.map(({ key }) => (
          <Group key={key} justify="space-between" gap="xs" wrap="nowrap">
            <div>
              <Anchor component={Link} href={inConsole(`/templates/${key}`)} size="sm" truncate>
                {key}
              </Anchor>
              <Placeholder of={key} />
            </div>
            {may('PUT /templates/{key}') ? (
              <Button
                variant="default"
                flex="none"
                aria-label={`Turn on ${key}`}
                loading={enable.isPending && enable.variables === key}
                onClick={() => enable.mutate(key, { onSuccess: () => void requestAnimationFrame(returnFocus) })}
              >
                Turn on
              </Button>
            ) : null}
          </Group>
        ))}
        {enable.error ? <FailureNotice error={enable.error} /> : null}
      </Stack>
    </Alert>
  );
}

/** Says before a template is turned on that nobody has written it yet. */
function Placeholder({ of }: { readonly of: string }): ReactNode {
  const { data } = useQuery(templateContentQuery(of));
  if (!data || !hasPlaceholder(sentContent(data))) return null;
  return <Text size="xs">{STILL_PLACEHOLDER}.</Text>;
}

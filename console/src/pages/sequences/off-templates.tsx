import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { useFocusReturn } from '../../show/focus-return.ts';
import { notifyDone } from '../../show/notify.ts';
import { hasPlaceholder, STILL_PLACEHOLDER } from '../templates/placeholder.ts';
import { sentContent, TEMPLATES, templateContentQuery, templatesQuery } from '../templates/template-queries.ts';
import type { ConfigOf } from './graph/node-kinds.ts';
import { type Problem, templateOffWords } from './problems.ts';
import type { SequenceGraph } from './sequence-queries.ts';

/** The steps whose template is off. Of the project's default brand: which one a contact will have nobody knows. */
function useOffSteps({ nodes }: Pick<SequenceGraph, 'nodes'>): readonly { readonly nodeId: string; readonly template: string }[] {
  const { data } = useQuery(templatesQuery());
  return useMemo(() => {
    const off = new Set(data?.filter(({ enabled }) => !enabled).map(({ key }) => key));
    return nodes.flatMap(({ id, kind, config }) => {
      const { template = '', brand } = (config ?? {}) as Partial<ConfigOf<'send_email'>>;
      return kind === 'send_email' && !brand && off.has(template) ? [{ nodeId: id, template }] : [];
    });
  }, [data, nodes]);
}

/** The problems of a graph, and at each step that its template is off. */
export function useWithOffSteps(problems: readonly Problem[], graph: Pick<SequenceGraph, 'nodes'>): readonly Problem[] {
  const off = useOffSteps(graph);
  return useMemo(() => {
    const said = new Set(problems.map(({ nodeId, message }) => `${nodeId} ${message}`));
    const more = off.map(({ nodeId, template }): Problem => ({ kind: 'warning', nodeId, message: templateOffWords(template) }));
    return [...problems, ...more.filter(({ nodeId, message }) => !said.has(`${nodeId} ${message}`))];
  }, [problems, off]);
}

/** The templates of a sequence that are off, so that its mails would fail, each with what turns it on. Nothing when all are on. */
export function OffTemplates({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const offSteps = useOffSteps(graph);
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
  const off = [...new Set(offSteps.map(({ template }) => template))];
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
          Emails by {off.length === 1 ? 'it' : 'them'} fail until {off.length === 1 ? 'it is' : 'they are'} turned on.
        </Text>
        {off.map((key) => (
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
  const { data } = useQuery(templateContentQuery(of, { brand: undefined, locale: undefined }));
  if (!data || !hasPlaceholder(sentContent(data))) return null;
  return <Text size="xs">{STILL_PLACEHOLDER}.</Text>;
}

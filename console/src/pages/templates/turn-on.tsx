import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { useFocusReturn } from '../../show/focus-return.ts';
import { notifyDone } from '../../show/notify.ts';
import { hasPlaceholder, STILL_PLACEHOLDER } from './placeholder.ts';
import { TEMPLATES, type Template, type TemplateContent } from './template-queries.ts';
import classes from './templates.module.css';

interface Given {
  readonly template: Template;
  readonly brand: string | undefined;
  readonly published: TemplateContent;
}

/** Says that what was published is not sent yet, since the template is off; for keys that may turn it on. */
export function TurnOn({ template: { key }, brand, published }: Given): ReactNode {
  const queries = useQueryClient();
  const enable = useMutation({
    mutationFn: () =>
      answerOf(api.PUT('/templates/{key}', { params: { path: { key } }, body: { enabled: true, ...(brand ? { brand } : {}) } })),
    onSuccess: async () => {
      notifyDone(`${key} turned on`);
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, 'list'] });
    },
  });
  const returnFocus = useEffectEvent(useFocusReturn(enable.isPending));
  const isAsked = enable.isPending || enable.isSuccess;
  // The button goes as soon as the list has the template on, which is before the call is said to be done.
  useEffect(() => (isAsked ? () => returnFocus() : undefined), [isAsked]);
  return (
    <>
      <Alert color="orange" role="status" className={classes.turnOn}>
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            It is published, but the template is off: nothing is sent with it.
            {hasPlaceholder(published) ? ` ${STILL_PLACEHOLDER}.` : ''}
          </Text>
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
            Turn on
          </Button>
        </Group>
      </Alert>
      {enable.error ? <FailureNotice error={enable.error} /> : null}
    </>
  );
}

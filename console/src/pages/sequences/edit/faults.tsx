import { Alert, List, Text } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';
import { isAt } from '../../../api/issues.ts';
import type { Problem } from '../problems.ts';

/** What the API found wrong with what a form is about: with one step, or with the settings beside the steps. */
export const Faults = createContext<readonly Problem[]>([]);

/** What is wrong with one setting, for its input. */
export function useFault(path: string): string | undefined {
  return useContext(Faults).find((one) => isAt(one.path, path))?.says;
}

/** The same, where its input cannot show it. */
export function FaultAt({ path }: { readonly path: string }): ReactNode {
  const fault = useFault(path);
  return fault ? (
    <Text size="xs" c="var(--mantine-color-error)">
      {fault}
    </Text>
  ) : null;
}

/** What is wrong and has no input of a form that has one for these settings. */
export function FaultsBeside({ fields }: { readonly fields: readonly string[] }): ReactNode {
  const beside = useContext(Faults).filter(({ path }) => !fields.some((field) => isAt(path, field)));
  if (beside.length === 0) return null;
  return (
    <Alert color="red" p="xs">
      <List size="sm" listStyleType="none">
        {beside.map(({ message }) => (
          <List.Item key={message}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

import { Center, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import favicon from '../../favicon.svg';

/** The page before somebody is signed in. */
export function StartFrame({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="xs" justify="center">
          <img src={favicon} alt="" width={24} height={24} />
          <Text fw={600} size="lg">
            Everpost
          </Text>
        </Group>
        <Paper withBorder p="lg" radius="lg">
          {children}
        </Paper>
      </Stack>
    </Center>
  );
}

import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';

interface Given {
  readonly label: string;
  readonly keys?: string;
  readonly icon: ReactNode;
  /** Whether what is selected has it; undefined: it is nothing that a text has. */
  readonly isOn?: boolean;
  readonly onClick: () => void;
}

/** A button of a bar that formats. */
export function Tool({ label, keys, icon, isOn, onClick }: Given): ReactNode {
  return (
    <ActionIcon
      size={30}
      variant={isOn ? 'filled' : undefined}
      aria-label={label}
      aria-pressed={isOn}
      title={keys ? `${label} (${keys})` : label}
      // What is selected in the text stays so.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  );
}

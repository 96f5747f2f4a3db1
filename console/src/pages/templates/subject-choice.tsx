import { Select } from '@mantine/core';
import type { ReactNode } from 'react';

/** A subject that a mail may have. */
export interface MailSubject {
  readonly label: string;
  /** Liquid; empty: the template's own. */
  readonly subject: string;
}

interface Given {
  readonly subjects: readonly MailSubject[];
  /** The place of the one that is chosen. */
  readonly chosen: number;
  readonly onChoose: (place: number) => void;
  readonly size?: 'xs';
}

/** Chooses the variant whose subject a mail is shown with; nothing where there is only one. */
export function SubjectChoice({ subjects, chosen, onChoose, size }: Given): ReactNode {
  if (subjects.length < 2) return null;
  return (
    <Select
      label="Variant"
      {...(size ? { size } : {})}
      allowDeselect={false}
      data={subjects.map(({ label }, place) => ({ value: String(place), label }))}
      value={String(chosen)}
      onChange={(place) => onChoose(Number(place))}
    />
  );
}

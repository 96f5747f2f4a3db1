import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { timeZonesWith } from '../../../show/time-zones.ts';

const THEIRS = { value: 'contact', label: "The contact's time zone" };

/** Whose clock a time is by. */
interface Zone {
  readonly timezone?: string | null | undefined;
  readonly fallback?: string | null | undefined;
}

interface Given extends Zone {
  /** Of a zone that is given up, what is only for it goes, too. */
  readonly onChange: (zone: Zone) => void;
}

export function ZoneFields({ timezone, fallback, onChange }: Given): ReactNode {
  return (
    <>
      <Select
        label="Time zone"
        placeholder="UTC"
        size="xs"
        searchable
        clearable
        limit={60}
        data={[THEIRS, ...timeZonesWith(timezone === THEIRS.value ? undefined : timezone)]}
        value={timezone ?? null}
        onChange={(zone) => onChange({ timezone: zone ?? undefined, fallback: zone === THEIRS.value ? fallback : undefined })}
      />
      {timezone === THEIRS.value ? (
        <Select
          label="If unknown"
          placeholder="UTC"
          size="xs"
          searchable
          clearable
          limit={60}
          data={timeZonesWith(fallback)}
          value={fallback ?? null}
          onChange={(zone) => onChange({ timezone, fallback: zone ?? undefined })}
        />
      ) : null}
    </>
  );
}

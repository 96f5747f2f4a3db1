import { SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LONGEST_SOURCE, LONGEST_USER_AGENT } from '../../api/limits.ts';
import type { ContactInput } from './contact-draft.ts';

/** What shows that a person agreed; '' is not known. */
export interface ConsentDraft {
  readonly source: string;
  readonly ip: string;
  readonly userAgent: string;
}

export const NO_CONSENT: ConsentDraft = { source: '', ip: '', userAgent: '' };

/** All three are given, so that nothing of an earlier consent, or of this browser, is taken for this one's. */
export function consentOf({ source, ip, userAgent }: ConsentDraft): NonNullable<ContactInput['consent']> {
  return { source: source.trim(), ip: ip.trim(), userAgent: userAgent.trim() };
}

const IP = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$|^(?=.*:.*:)[\da-f:.]+$/i;

/** What is missing or wrong, by the name of the field in the request. */
export function consentFaults({ source, ip }: ConsentDraft): Readonly<Record<string, string | undefined>> {
  return {
    'consent.source': source.trim() ? undefined : 'Enter where the person agreed',
    'consent.ip': ipProblem(ip),
  };
}

/** What to tell of an IP address that is none; what exactly is one the API knows. */
function ipProblem(ip: string): string | undefined {
  return ip.trim() === '' || IP.test(ip.trim()) ? undefined : 'Enter an IP address such as 203.0.113.7 or 2001:db8::1';
}

interface Given {
  readonly consent: ConsentDraft;
  readonly onChange: (consent: ConsentDraft) => void;
  readonly errorOf: (name: string) => string | undefined;
  /** Takes the focus in a dialog. */
  readonly isFirst?: boolean;
}

/** Asks where a person has agreed. */
export function ConsentFields({ consent, onChange, errorOf, isFirst }: Given): ReactNode {
  const field = (name: keyof ConsentDraft) => ({
    value: consent[name],
    error: errorOf(`consent.${name}`),
    autoComplete: 'off',
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...consent, [name]: event.currentTarget.value }),
  });
  return (
    <Stack gap="sm">
      <TextInput
        label="Where the person agreed"
        placeholder="Asked us by phone on 3 May"
        description="Kept with the time as proof of consent"
        maxLength={LONGEST_SOURCE}
        required
        data-autofocus={isFirst}
        {...field('source')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="IP address"
          placeholder="Not known"
          maxLength={45}
          {...field('ip')}
          error={ipProblem(consent.ip) ?? errorOf('consent.ip')}
        />
        <TextInput label="Browser" placeholder="Not known" maxLength={LONGEST_USER_AGENT} {...field('userAgent')} />
      </SimpleGrid>
    </Stack>
  );
}

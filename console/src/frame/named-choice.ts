import type { OptionsFilter } from '@mantine/core';

/** One of several that have a key and a name, to choose from: by its name, with the key where that says more. */
export function namedChoice({ key, name }: { readonly key: string; readonly name: string }): {
  readonly value: string;
  readonly label: string;
} {
  const isSaidByKey = name === '' || plain(name) === plain(key);
  return { value: key, label: isSaidByKey ? name || key : `${key}: ${name}` };
}

/** Finds such choices by what is shown of them, and by their keys. */
export const byNameOrKey: OptionsFilter = ({ options, search, limit }) => {
  const typed = search.trim().toLowerCase();
  return options
    .filter((option) => 'value' in option && [option.label, String(option.value)].some((text) => text.toLowerCase().includes(typed)))
    .slice(0, limit);
};

/** `Order receipt` says no more than `order-receipt`. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

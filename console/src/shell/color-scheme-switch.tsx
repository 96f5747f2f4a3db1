import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactNode } from 'react';

const SCHEMES = [
  { value: 'auto', label: 'System', icon: IconDeviceDesktop },
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
] as const satisfies readonly {
  readonly value: MantineColorScheme;
  readonly label: string;
  readonly icon: unknown;
}[];

/** Light, dark, or what the system has; kept in this browser. */
export function ColorSchemeSwitch(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { icon: Icon, label } = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[0];
  return (
    <Menu position="top-start" width={170}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={28} aria-label={`Theme: ${label}`} title={`Theme: ${label}`}>
          <Icon size={17} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label: name, icon: ItsIcon }) => (
          <Menu.Item key={value} leftSection={<ItsIcon size={15} />} onClick={() => setColorScheme(value)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

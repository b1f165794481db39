import { ActionIcon, Menu } from '@mantine/core';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { CheckIcon, DeviceDesktopIcon, MoonIcon, SunIcon } from '@primer/octicons-react';

const CHOICES = [
  { value: 'light', name: 'Light', icon: SunIcon },
  { value: 'dark', name: 'Dark', icon: MoonIcon },
  { value: 'auto', name: 'As the system', icon: DeviceDesktopIcon },
] as const;

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const shown = useComputedColorScheme('light');
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Colours">
          {shown === 'dark' ? <MoonIcon /> : <SunIcon />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {CHOICES.map(({ value, name, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon />}
            rightSection={colorScheme === value ? <CheckIcon /> : null}
            onClick={() => setColorScheme(value)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

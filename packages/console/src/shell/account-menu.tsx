import { ActionIcon, Menu, Text } from '@mantine/core';
import { PersonIcon, SignOutIcon } from '@primer/octicons-react';
import { useLocation } from 'wouter';
import { toProblem } from '../api/problem.ts';
import { signOut } from '../api/session.ts';
import type { Profile } from '../api/session.ts';
import { notifyProblem } from '../parts/notify.ts';

export function AccountMenu({ profile }: { profile: Profile }) {
  const [, navigate] = useLocation();
  const leave = (): void => {
    signOut().then(
      () => navigate('/'),
      (error: unknown) => notifyProblem(toProblem(error)!),
    );
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" radius="xl" aria-label="Account">
          <PersonIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text mx="sm" mt={6} size="sm" fw={500} className="break" lineClamp={3} title={profile.email}>
          {profile.email}
        </Text>
        <Text px="sm" pb={6} size="xs" c="dimmed">
          Plan {profile.plan}
        </Text>
        <Menu.Divider />
        <Menu.Item leftSection={<PersonIcon />} onClick={() => navigate('/profile')}>
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<SignOutIcon />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

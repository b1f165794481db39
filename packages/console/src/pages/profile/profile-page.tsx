import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { query } from '../../api/query.ts';
import { toProblem } from '../../api/problem.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import { PasswordForm } from './password-form.tsx';
import { WalletForm } from './wallet-form.tsx';

export function ProfilePage() {
  const { data: profile, error } = query.useQuery('get', '/me');
  return (
    <>
      <PageHeader title="Profile" description="The account, its wallet and its password." />
      <ProblemNotice problem={toProblem(error)} />
      <Stack gap="lg" maw={720}>
        <Section title="Account">
          {profile ? (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <Fact name="E-mail">{profile.email}</Fact>
              <Fact name="Plan">{profile.plan}</Fact>
              <Fact name="Id">
                <span className="mono">{profile.id}</span> <CopyButton text={profile.id} label="account id" />
              </Fact>
            </SimpleGrid>
          ) : (
            <Skeleton h={80} />
          )}
        </Section>
        <Section
          title="Wallet"
          description="Tokens that you deploy from now on belong to this address on the chain: it may take them out of this service. Without one the service's contract is the owner. Tokens deployed before keep theirs."
        >
          {profile ? <WalletForm wallet={profile.walletAddress} /> : <Skeleton h={60} />}
        </Section>
        <Section
          title="Password"
          description="Changing it ends every other session and every access token of the account."
        >
          {profile ? <PasswordForm email={profile.email} /> : <Skeleton h={160} />}
        </Section>
      </Stack>
    </>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="div" className="break">
        {children}
      </Text>
    </div>
  );
}

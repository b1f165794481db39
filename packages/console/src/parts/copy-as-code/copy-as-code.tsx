import { Box, Button, Collapse, Tabs, Text } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { CodeIcon } from '@primer/octicons-react';
import { SERVICE_URL } from '../../api/addresses.ts';
import type { Call } from '../../api/call.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { CodeBlock } from '../code-block.tsx';
import { toCurl, toPythonCode, toTypeScript } from './languages.ts';
import type { CodeContext } from './languages.ts';

const LANGUAGES = {
  curl: { name: 'curl', write: toCurl },
  typescript: { name: 'TypeScript', write: toTypeScript },
  python: { name: 'Python', write: toPythonCode },
} as const;
type Language = keyof typeof LANGUAGES;

/** Shows how a program sends this request, with the values that were typed in so far and a variable for the secret. */
export function CopyAsCode({ call, isOpenAtFirst = false }: { call: Call; isOpenAtFirst?: boolean }) {
  const [isOpen, { toggle }] = useDisclosure(isOpenAtFirst);
  const [language, setLanguage] = useLocalStorage<Language>({
    key: 'mintmark-language',
    defaultValue: 'curl',
  });
  const context = { serviceUrl: SERVICE_URL, isSandbox: useStore(sandbox) !== null };
  return (
    <Box>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<CodeIcon />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        Copy as code
      </Button>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Tabs value={language} onChange={(next) => setLanguage((next ?? 'curl') as Language)} mt="xs">
            <Tabs.List aria-label="Language">
              {Object.entries(LANGUAGES).map(([key, { name }]) => (
                <Tabs.Tab key={key} value={key}>
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {Object.entries(LANGUAGES).map(([key, { write }]) => (
              <Tabs.Panel key={key} value={key}>
                <CodePanel call={call} context={context} write={write} />
              </Tabs.Panel>
            ))}
          </Tabs>
        )}
      </Collapse>
    </Box>
  );
}

function CodePanel({
  call,
  context,
  write,
}: {
  call: Call;
  context: CodeContext;
  write: (call: Call, context: CodeContext) => string;
}) {
  return (
    <CodeBlock text={write(call, context)} name="Code">
      <Text size="xs" c="dimmed" span>
        The credential is a variable: put one of your own there.
      </Text>
    </CodeBlock>
  );
}

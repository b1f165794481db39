import { Button, Group, Modal, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { draft } from '../api/draft.ts';
import { running } from '../api/running.ts';
import { sandbox, switchSandbox } from '../api/sandbox.ts';
import { useStore } from '../api/store.ts';
import styles from './shell.module.css';

/** Between the chain and the sandbox of collections, webhooks and intents. Their records never mix. */
export function SandboxSwitch() {
  const isOn = useStore(sandbox) !== null;
  const isTyped = useStore(draft);
  const [isAsking, { open, close }] = useDisclosure(false);
  const change = (): void => {
    close();
    draft.set(false);
    switchSandbox(!isOn);
  };
  return (
    <>
      <Switch
        label="Sandbox"
        color="orange.8"
        checked={isOn}
        onChange={isTyped ? open : change}
        size="sm"
        // What runs is of this side.
        disabled={useStore(running) !== null}
      />
      <Modal
        opened={isAsking}
        onClose={close}
        title={<Text fw={600}>{isOn ? 'Leave the sandbox?' : 'Go to the sandbox?'}</Text>}
      >
        <Text size="sm">What you typed on this page is not sent yet, and is lost.</Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close} data-autofocus>
            Stay here
          </Button>
          <Button onClick={change}>{isOn ? 'Leave the sandbox' : 'Go to the sandbox'}</Button>
        </Group>
      </Modal>
    </>
  );
}

/** Above every page while the sandbox is on. */
export function SandboxBanner() {
  if (useStore(sandbox) === null) return null;
  return (
    <div className={`${styles.banner} ${styles.sandbox}`} role="note">
      <strong>Sandbox.</strong> Collections, intents and webhooks are those of the sandbox: nothing goes to a
      chain, and nothing costs credits. Keys and the account are the real ones; tokens have no sandbox.
    </div>
  );
}

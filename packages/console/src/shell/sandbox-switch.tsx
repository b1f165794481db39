import { Switch } from '@mantine/core';
import { queryClient } from '../api/query.ts';
import { sandbox, switchSandbox } from '../api/sandbox.ts';
import { useStore } from '../api/store.ts';
import styles from './shell.module.css';

/** Between the chain and the sandbox of collections, webhooks and intents. Their records never mix. */
export function SandboxSwitch() {
  const isOn = useStore(sandbox) !== null;
  const change = (): void => {
    switchSandbox(!isOn);
    queryClient.clear();
  };
  return <Switch label="Sandbox" color="orange.8" checked={isOn} onChange={change} size="sm" />;
}

/** Above every page while the sandbox is on. */
export function SandboxBanner() {
  if (useStore(sandbox) === null) return null;
  return (
    <div className={`${styles.banner} ${styles.sandbox}`} role="note">
      <strong>Sandbox.</strong> Collections, intents and webhooks are those of the sandbox: nothing goes to a
      chain, and nothing costs credits. Tokens, keys and the account are the real ones.
    </div>
  );
}

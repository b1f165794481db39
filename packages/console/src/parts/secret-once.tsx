import { Code, Group } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import styles from './secret-once.module.css';

/** A secret that is shown this once, to read whole and to copy. */
export function SecretOnce({ secret, label }: { secret: string; label: string }) {
  return (
    <Group align="center">
      <Code
        block
        flex="1 1 16rem"
        className={`${styles.secret} break`}
        fz="sm"
        tabIndex={0}
        aria-label={label}
      >
        {secret}
      </Code>
      <CopyButton text={secret} label={label} withText />
    </Group>
  );
}

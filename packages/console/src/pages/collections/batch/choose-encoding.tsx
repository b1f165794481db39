import { Alert, Button, Code, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { ENCODINGS, decodeAs, sampleOf } from './decode-file.ts';

/** A file that is not UTF-8: asks for its encoding, and shows its letters in it. */
export function ChooseEncoding({
  name,
  bytes,
  onChosen,
  onCancel,
}: {
  /** Of the file. */
  name: string;
  bytes: Uint8Array;
  onChosen: (text: string) => void;
  onCancel: () => void;
}) {
  const [encoding, setEncoding] = useState<string>(ENCODINGS[0].value);
  const text = decodeAs(bytes, encoding);
  return (
    <Alert color="orange" title="Look at its letters first" role="status">
      <Text size="sm" mb="sm">
        <bdi className="break">{name}</bdi> is not UTF-8, as “CSV” of Excel is not. Choose the encoding in
        which these lines are right; they go to the chain as they stand here.
      </Text>
      <NativeSelect
        label="Encoding"
        data={ENCODINGS}
        value={encoding}
        onChange={({ currentTarget }) => setEncoding(currentTarget.value)}
        maw={360}
      />
      {text === null ? (
        <Text size="sm" my="sm">
          Some of its bytes are no letters in this one.
        </Text>
      ) : (
        <Code
          block
          my="sm"
          aria-label="Lines with letters beyond ASCII"
          className="break"
          style={{ whiteSpace: 'pre-wrap' }}
        >
          {sampleOf(text).join('\n')}
        </Code>
      )}
      <Group gap="sm">
        <Button size="xs" disabled={text === null} onClick={() => onChosen(text!)}>
          These letters are right
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          Take another file
        </Button>
      </Group>
    </Alert>
  );
}

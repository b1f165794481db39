import { Alert, Anchor, Button, Code, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { FileIcon, UploadIcon, XIcon } from '@primer/octicons-react';
import { useState } from 'react';
import type { DragEvent } from 'react';
import { groupDigits } from '../../../parts/amount-text.ts';
import { Section } from '../../../parts/section.tsx';
import { ChooseEncoding } from './choose-encoding.tsx';
import { decodeFile } from './decode-file.ts';
import styles from './list-source.module.css';

/** Where the list comes from. */
export interface Source {
  text: string;
  /** Null when it was typed or pasted. */
  fileName: string | null;
}

type Readable = Pick<File, 'name' | 'size' | 'arrayBuffer'>;

const MAX_FILE_BYTES = 16 * 1_048_576;
const EXAMPLE = `to,name,description,image,mood,edition:number,framed:boolean
0x3440326f551B8A7ee198cEE35cb5D517f2d296a2,Blue Hour,The harbour after sunset.,,calm,1,true
0xAcFB09713f4F9cc14aA498cBf844b94A27DA64FF,Low Tide,"Mud, mostly.",ipfs://bafybeialiceart/2.png,calm,2,false`;

/** Takes a list as a file, dropped or chosen, or as text. */
export function ListSource({
  source,
  onChange,
  isLocked,
}: {
  source: Source | null;
  onChange: (source: Source | null) => void;
  isLocked: boolean;
}) {
  const [isOver, setOver] = useState(false);
  const [other, setOther] = useState<{ name: string; bytes: Uint8Array } | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const choose = (next: Source | null): void => {
    setOther(null);
    setRefusal(null);
    onChange(next);
  };
  const read = async ({ name, size, arrayBuffer }: Readable): Promise<void> => {
    choose(null);
    if (size > MAX_FILE_BYTES) return setRefusal('The file is too large: at most 16 MiB are read.');
    const bytes = new Uint8Array(await arrayBuffer());
    const decoded = decodeFile(bytes);
    if ('text' in decoded) onChange({ text: decoded.text, fileName: name });
    else if ('refusal' in decoded) setRefusal(decoded.refusal);
    else setOther({ name, bytes });
  };
  const take = (file: File | null | undefined): void => {
    if (!file || isLocked) return;
    const { name, size } = file;
    read({ name, size, arrayBuffer: () => file.arrayBuffer() }).catch(() =>
      setRefusal('The file cannot be read: it was moved, or changed meanwhile.'),
    );
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <Section title="The list" description="CSV, as every spreadsheet saves it. One row is one NFT.">
      {refusal !== null && (
        <Alert color="red" title="This file is not read" role="alert" mb="md">
          {refusal}
        </Alert>
      )}
      <div
        className={styles.drop}
        data-over={isOver}
        data-draft
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {other ? (
          <ChooseEncoding
            {...other}
            onChosen={(text) => choose({ text, fileName: other.name })}
            onCancel={() => choose(null)}
          />
        ) : source?.fileName != null ? (
          <ChosenFile source={source} onRemove={() => choose(null)} isLocked={isLocked} />
        ) : (
          <Stack>
            <Group>
              <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={take}>
                {(props) => (
                  <Button variant="default" leftSection={<UploadIcon />} {...props}>
                    Choose a file
                  </Button>
                )}
              </FileButton>
              <Text size="sm" c="dimmed">
                or drop it here, or paste its rows:
              </Text>
            </Group>
            <Textarea
              aria-label="Rows"
              placeholder={'to,name\n0x…,Blue Hour'}
              autosize
              minRows={5}
              maxRows={14}
              spellCheck={false}
              disabled={isLocked}
              classNames={{ input: 'mono' }}
              value={source?.text ?? ''}
              onChange={({ currentTarget: { value } }) =>
                choose(value === '' ? null : { text: value, fileName: null })
              }
            />
          </Stack>
        )}
      </div>
      {!source && <Format onExample={() => choose({ text: EXAMPLE, fileName: null })} />}
    </Section>
  );
}

function ChosenFile({
  source,
  onRemove,
  isLocked,
}: {
  source: Source;
  onRemove: () => void;
  isLocked: boolean;
}) {
  return (
    <Group justify="space-between">
      <Group gap="xs">
        <FileIcon />
        <Text size="sm" fw={500} className="break">
          <bdi>{source.fileName}</bdi>
        </Text>
        <Text size="sm" c="dimmed">
          {groupDigits(String(source.text.length))} characters
        </Text>
      </Group>
      <Button variant="subtle" color="gray" leftSection={<XIcon />} onClick={onRemove} disabled={isLocked}>
        Take another one
      </Button>
    </Group>
  );
}

function Format({ onExample }: { onExample: () => void }) {
  return (
    <Stack gap="xs" mt="md">
      <Text size="sm" c="dimmed">
        The heading names the columns. <Code>to</Code> (or <Code>address</Code>, <Code>wallet</Code>,{' '}
        <Code>recipient</Code>) is the recipient; <Code>name</Code>, <Code>description</Code> and{' '}
        <Code>image</Code> are the metadata; every other column is an attribute, which is a number or a
        boolean when its name ends with <Code>:number</Code> or <Code>:boolean</Code>. Empty cells are left
        out. A list of addresses alone needs no heading.
      </Text>
      <Code block tabIndex={0} aria-label="Example">
        {EXAMPLE}
      </Code>
      <Anchor component="button" type="button" size="sm" ta="start" onClick={onExample}>
        Try it with this example
      </Anchor>
    </Stack>
  );
}

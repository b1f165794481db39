import {
  ActionIcon,
  Button,
  Group,
  Input,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Textarea,
} from '@mantine/core';
import { PlusIcon, XIcon } from '@primer/octicons-react';
import { byteLength } from '../bytes.ts';
import { ATTRIBUTE_KINDS } from './attribute-value.ts';
import type { AttributeKind } from './attribute-value.ts';
import type { AttributeDraft, MetadataDraft } from './metadata-draft.ts';
import { MAX_ATTRIBUTES, MAX_BYTES } from './metadata-rules.ts';
import type { Fault } from './metadata-rules.ts';

/** Near its limit a field says how much of it is used. */
const NEARLY = 0.8;

function bytesUsed(text: string, max: number): string {
  const used = byteLength(text);
  return used > max * NEARLY ? ` ${used} of ${max} bytes.` : '';
}

/**
 * The fields of metadata.
 * @param errorOf what to show at a field: that of the API, or that of the draft once somebody tried to send it
 */
export function MetadataFields({
  draft,
  onChange,
  errorOf,
  isDrawn,
}: {
  draft: MetadataDraft;
  onChange: (draft: MetadataDraft) => void;
  errorOf: (field: string) => string | undefined;
  /** Of an NFT: the contract draws one that names no picture. It draws none of itself. */
  isDrawn: boolean;
}) {
  const { name, description, image } = draft;
  return (
    <Stack>
      <TextInput
        label="Name"
        description={`What wallets and marketplaces show.${bytesUsed(name, MAX_BYTES.name)}`}
        placeholder="Blue Hour"
        required
        withAsterisk={false}
        value={name}
        onChange={({ currentTarget }) => onChange({ ...draft, name: currentTarget.value })}
        error={errorOf('name')}
      />
      <Textarea
        label="Description"
        description={bytesUsed(description, MAX_BYTES.description)}
        placeholder="The harbour after sunset."
        autosize
        minRows={2}
        maxRows={8}
        value={description}
        onChange={({ currentTarget }) => onChange({ ...draft, description: currentTarget.value })}
        error={errorOf('description')}
      />
      <TextInput
        label="Image"
        description={`Where you host the picture: an ipfs or https URI.${isDrawn ? ' Without one the contract draws a picture itself.' : ''}`}
        placeholder="ipfs://…"
        value={image}
        onChange={({ currentTarget }) => onChange({ ...draft, image: currentTarget.value })}
        error={errorOf('image')}
        spellCheck={false}
      />
      <Attributes draft={draft} onChange={onChange} errorOf={errorOf} />
    </Stack>
  );
}

function Attributes({
  draft,
  onChange,
  errorOf,
}: {
  draft: MetadataDraft;
  onChange: (draft: MetadataDraft) => void;
  errorOf: (field: string) => string | undefined;
}) {
  const { attributes } = draft;
  const set = (changed: readonly AttributeDraft[]): void => onChange({ ...draft, attributes: changed });
  const change = (at: number, part: Partial<AttributeDraft>): void =>
    set(attributes.map((each, index) => (index === at ? { ...each, ...part } : each)));
  const add = (): void =>
    set([
      ...attributes,
      { id: Math.max(-1, ...attributes.map(({ id }) => id)) + 1, key: '', kind: 'text', typed: '' },
    ]);
  return (
    <Input.Wrapper
      labelElement="div"
      label="Attributes"
      description={`What marketplaces filter by; ${MAX_ATTRIBUTES} at most. A number or a boolean is written without quotes.`}
      error={errorOf('attributes')}
    >
      <Stack gap="sm" mt="xs">
        {attributes.map((each, at) => (
          <AttributeRow
            key={each.id}
            at={at}
            attribute={each}
            onChange={(part) => change(at, part)}
            onRemove={() => set(attributes.filter((_, index) => index !== at))}
            error={errorOf(`attributes.${each.key}`)}
          />
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon />}
            disabled={attributes.length >= MAX_ATTRIBUTES}
            onClick={add}
          >
            Add an attribute
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

function AttributeRow({
  at,
  attribute: { key, kind, typed },
  onChange,
  onRemove,
  error,
}: {
  at: number;
  attribute: AttributeDraft;
  onChange: (part: Partial<AttributeDraft>) => void;
  onRemove: () => void;
  error: string | undefined;
}) {
  const nth = at + 1;
  return (
    <div>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          aria-label={`Name of attribute ${nth}`}
          placeholder="mood"
          flex="1 1 6rem"
          miw={0}
          value={key}
          onChange={({ currentTarget }) => onChange({ key: currentTarget.value })}
          error={error !== undefined}
        />
        <NativeSelect
          aria-label={`Kind of attribute ${nth}`}
          data={ATTRIBUTE_KINDS}
          w={104}
          flex="0 0 auto"
          value={kind}
          onChange={({ currentTarget }) =>
            onChange({
              kind: currentTarget.value as AttributeKind,
              typed: startOf(currentTarget.value, typed),
            })
          }
        />
        {kind === 'boolean' ? (
          <NativeSelect
            aria-label={`Value of attribute ${nth}`}
            data={['true', 'false']}
            flex="1 1 6rem"
            miw={0}
            value={typed}
            onChange={({ currentTarget }) => onChange({ typed: currentTarget.value })}
          />
        ) : (
          <TextInput
            aria-label={`Value of attribute ${nth}`}
            placeholder={kind === 'number' ? '7' : 'calm'}
            inputMode={kind === 'number' ? 'decimal' : 'text'}
            flex="1 1 6rem"
            miw={0}
            value={typed}
            onChange={({ currentTarget }) => onChange({ typed: currentTarget.value })}
            error={error !== undefined}
          />
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={`Remove attribute ${nth}`}
          onClick={onRemove}
        >
          <XIcon />
        </ActionIcon>
      </Group>
      {error !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4} className="break" role="alert">
          {error}
        </Text>
      )}
    </div>
  );
}

/** A boolean begins as one of its two values. */
function startOf(kind: string, typed: string): string {
  if (kind !== 'boolean') return typed;
  return typed === 'false' ? 'false' : 'true';
}

/** What to show at a field of a draft: the first thing that is wrong with it. */
export function faultAt(faults: readonly Fault[], field: string): string | undefined {
  const found = faults.find((fault) => fault.field === field);
  return found && `${field} ${found.message}`;
}

import { ErrorFragment } from 'ethers';
import type { EventFragment, FunctionFragment } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import { INTERFACES } from './interfaces.ts';
import type { Log } from './operator.ts';
import { readFields } from './values.ts';
import type { Field, Value } from './values.ts';

export type { Field, Value };

/** A call, an event or an error of our contracts, with its arguments by name. */
export interface Decoded {
  name: string;
  fields: Field[];
}

const functions = new Map<string, FunctionFragment>();
const errors = new Map<string, ErrorFragment>();
/** By topic and number of topics: the two Transfer events differ in nothing else. */
const events = new Map<string, EventFragment>();
for (const abi of INTERFACES) {
  abi.forEachFunction((fragment) => functions.set(fragment.selector, fragment));
  abi.forEachError((fragment) => errors.set(fragment.selector, fragment));
  abi.forEachEvent((fragment) => events.set(`${fragment.topicHash} ${countTopics(fragment)}`, fragment));
}
for (const text of ['error Error(string reason)', 'error Panic(uint256 code)']) {
  const fragment = ErrorFragment.from(text);
  errors.set(fragment.selector, fragment);
}

function countTopics({ inputs }: EventFragment): number {
  return 1 + inputs.filter(({ indexed }) => indexed).length;
}

/** Decodes calldata of one of our contracts' functions. Returns null for any other. */
export function decodeCall(data: Hex): Decoded | null {
  return decodeBySelector(functions, data);
}

/**
 * Decodes revert data: an error of our contracts, `Error` or `Panic`. Returns null for any other, or one cut off. What
 * a receiver said stands in the place of its bytes, by its name, when it is such an error too.
 */
export function decodeError(data: Hex): Decoded | null {
  const error = decodeBySelector(errors, data);
  if (error?.name !== 'ReceiverRefused') return error;
  const fields = error.fields.map((field): Field => {
    const said = field.value.kind === 'bytes' ? decodeBySelector(errors, field.value.value) : null;
    return said ? { name: said.name, value: { kind: 'fields', fields: said.fields } } : field;
  });
  return { ...error, fields };
}

function decodeBySelector(
  known: ReadonlyMap<string, FunctionFragment | ErrorFragment>,
  data: Hex,
): Decoded | null {
  const fragment = known.get(data.slice(0, 10));
  if (!fragment) return null;
  return orNull(() => ({
    name: fragment.name,
    fields: readFields(fragment.inputs, `0x${data.slice(10)}`),
  }));
}

/** Decodes an event of our contracts. Returns null for any other. The caller checks who emitted it. */
export function decodeEvent({ topics, data }: Log): Decoded | null {
  const fragment = events.get(`${topics[0]} ${topics.length}`);
  if (!fragment) return null;
  return orNull(() => {
    const unindexed = readFields(
      fragment.inputs.filter(({ indexed }) => !indexed),
      data,
    );
    const indexed = topics.slice(1);
    const fields = fragment.inputs.flatMap((input) => {
      if (!input.indexed) return [unindexed.shift()!];
      const topic = indexed.shift()!;
      // The topic of a dynamic value is only its hash. Our events give such a value unindexed as well.
      return input.baseType === 'string' ? [] : readFields([input], topic);
    });
    return { name: fragment.name, fields };
  });
}

function orNull<Result>(decode: () => Result): Result | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

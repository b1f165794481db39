import { AbiCoder, ErrorFragment, Interface } from 'ethers';
import type { EventFragment, FunctionFragment, ParamType } from 'ethers';
import {
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
  operatorAbi,
  tokenFactoryAbi,
} from '../../generated/contracts.ts';
import type { Hex } from '../db/bytes.ts';
import type { Log } from './contracts.ts';

/*
 * Reads what anybody may have put on the chain. Text stays bytes here, since nothing obliges it to be UTF-8, and what
 * does not fit its ABI is null instead of an exception.
 */

/** One value of a call, an event or an error. */
export type Value =
  | { kind: 'number'; value: bigint }
  | { kind: 'flag'; value: boolean }
  | { kind: 'address'; value: Hex }
  /** Meant to be UTF-8, but made by anybody. */
  | { kind: 'text'; value: Hex }
  | { kind: 'bytes'; value: Hex }
  | { kind: 'list'; items: Value[] }
  | { kind: 'fields'; fields: Field[] };

export interface Field {
  name: string;
  value: Value;
}

/** A call, an event or an error of our contracts, with its arguments by name. */
export interface Decoded {
  name: string;
  fields: Field[];
}

const coder = AbiCoder.defaultAbiCoder();
const interfaces = [
  operatorAbi,
  tokenFactoryAbi,
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
].map((abi) => new Interface(abi));

const functions = new Map<string, FunctionFragment>();
const errors = new Map<string, ErrorFragment>();
/** By topic and number of topics: the two Transfer events differ in nothing else. */
const events = new Map<string, EventFragment>();
const countTopics = ({ inputs }: EventFragment): number => 1 + inputs.filter(({ indexed }) => indexed).length;
for (const abi of interfaces) {
  abi.forEachFunction((fragment) => functions.set(fragment.selector, fragment));
  abi.forEachError((fragment) => errors.set(fragment.selector, fragment));
  abi.forEachEvent((fragment) => events.set(`${fragment.topicHash} ${countTopics(fragment)}`, fragment));
}
for (const text of ['error Error(string reason)', 'error Panic(uint256 code)']) {
  const fragment = ErrorFragment.from(text);
  errors.set(fragment.selector, fragment);
}

/** Calldata of one of our contracts' functions; null for any other. */
export const decodeCall = (data: Hex): Decoded | null => decodeBySelector(functions, data);

/** Revert data: an error of our contracts, `Error` or `Panic`; null for any other, and for one that was cut off. */
export const decodeError = (data: Hex): Decoded | null => decodeBySelector(errors, data);

function decodeBySelector(
  known: ReadonlyMap<string, FunctionFragment | ErrorFragment>,
  data: Hex,
): Decoded | null {
  const fragment = known.get(data.slice(0, 10));
  if (!fragment) return null;
  return tolerate(() => ({
    name: fragment.name,
    fields: decodeFields(fragment.inputs, `0x${data.slice(10)}`),
  }));
}

/** An event of our contracts; null for any other. Who emitted it is for the caller to check. */
export function decodeEvent({ topics, data }: Log): Decoded | null {
  const fragment = events.get(`${topics[0]} ${topics.length}`);
  if (!fragment) return null;
  return tolerate(() => {
    const unindexed = decodeFields(
      fragment.inputs.filter(({ indexed }) => !indexed),
      data,
    );
    const rest = topics.slice(1);
    const fields = fragment.inputs.flatMap((input) => {
      if (!input.indexed) return [unindexed.shift()!];
      const topic = rest.shift()!;
      // Of what is dynamic the topic holds only the hash; the value itself follows unindexed.
      return input.baseType === 'string' ? [] : decodeFields([input], topic);
    });
    return { name: fragment.name, fields };
  });
}

/** Answer of a view that tells one text. @throws Error when it is none */
export function decodeText(answer: Hex): Hex {
  const [bytes] = coder.decode(['bytes'], answer) as unknown as [Hex];
  return bytes;
}

function tolerate<Result>(decode: () => Result): Result | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** Text is decoded as the bytes that it is: the ABI encodes both alike, and ethers refuses what is no UTF-8. */
const rawType = (type: ParamType): string => type.format('sighash').replaceAll('string', 'bytes');

function decodeFields(inputs: readonly ParamType[], data: string): Field[] {
  const values = coder.decode(inputs.map(rawType), data).toArray() as unknown[];
  return inputs.map((input, index) => ({ name: input.name, value: toValue(input, values[index]) }));
}

function toValue(type: ParamType, value: unknown): Value {
  if (type.isArray()) {
    return {
      kind: 'list',
      items: [...(value as unknown[])].map((item) => toValue(type.arrayChildren, item)),
    };
  }
  if (type.isTuple()) {
    const values = [...(value as unknown[])];
    const fields = type.components.map((part, index) => ({
      name: part.name,
      value: toValue(part, values[index]),
    }));
    return { kind: 'fields', fields };
  }
  if (type.baseType === 'address') return { kind: 'address', value: (value as string).toLowerCase() as Hex };
  if (type.baseType === 'bool') return { kind: 'flag', value: value as boolean };
  if (/^u?int/.test(type.baseType)) return { kind: 'number', value: BigInt(value as bigint) };
  // Values of keyed metadata are text in `bytes`, as ERC-8048 has it.
  const isText = type.baseType === 'string' || (type.baseType === 'bytes' && type.name === 'value');
  return { kind: isText ? 'text' : 'bytes', value: value as Hex };
}

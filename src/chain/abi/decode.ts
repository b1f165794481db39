import { AbiCoder, ErrorFragment, Interface } from 'ethers';
import type { EventFragment, FunctionFragment } from 'ethers';
import {
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
  operatorAbi,
  tokenFactoryAbi,
} from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';
import { readFields } from './values.ts';
import type { Field, Value } from './values.ts';
import type { Log } from './operator.ts';

export type { Field, Value };

/** A call, an event or an error of our contracts, with its arguments by name. */
export interface Decoded {
  name: string;
  fields: Field[];
}

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
    fields: readFields(fragment.inputs, `0x${data.slice(10)}`),
  }));
}

/** An event of our contracts; null for any other. Who emitted it is for the caller to check. */
export function decodeEvent({ topics, data }: Log): Decoded | null {
  const fragment = events.get(`${topics[0]} ${topics.length}`);
  if (!fragment) return null;
  return tolerate(() => {
    const unindexed = readFields(
      fragment.inputs.filter(({ indexed }) => !indexed),
      data,
    );
    const rest = topics.slice(1);
    const fields = fragment.inputs.flatMap((input) => {
      if (!input.indexed) return [unindexed.shift()!];
      const topic = rest.shift()!;
      // Of what is dynamic the topic holds only the hash; the value itself follows unindexed.
      return input.baseType === 'string' ? [] : readFields([input], topic);
    });
    return { name: fragment.name, fields };
  });
}

/** Answer of a view that tells one text. @throws Error when it is none */
export function decodeText(answer: Hex): Hex {
  const [bytes] = AbiCoder.defaultAbiCoder().decode(['bytes'], answer) as unknown as [Hex];
  return bytes;
}

function tolerate<Result>(decode: () => Result): Result | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

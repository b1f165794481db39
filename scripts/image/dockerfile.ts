import { readFileSync } from 'node:fs';
import { DockerfileParser, ModifiableInstruction, PropertyInstruction } from 'dockerfile-ast';
import type { Instruction } from 'dockerfile-ast';

/** One instruction of a Dockerfile, with what this one uses of it. */
export interface Step {
  /** In capitals. */
  keyword: string;
  /** What stands behind the keyword, with its lines as they are. */
  text: string;
  /** The words of it, without flags. */
  words: string[];
  /** `--from=build` is `{ from: 'build' }`. */
  flags: Record<string, string>;
  /** The strings of a command in JSON. */
  command: string[];
  /** Names and values of ENV, ARG and LABEL. */
  properties: Record<string, string>;
}

const DOCKERFILE = 'ops/container/Dockerfile';

/** Reads the instructions in their order. */
export function readSteps(): Step[] {
  return DockerfileParser.parse(readFileSync(DOCKERFILE, 'utf8')).getInstructions().map(readStep);
}

function readStep(instruction: Instruction): Step {
  const flags = instruction instanceof ModifiableInstruction ? instruction.getFlags() : [];
  const text = instruction.getRawArgumentsContent() ?? '';
  const isCommand = ['CMD', 'ENTRYPOINT', 'HEALTHCHECK'].includes(instruction.getKeyword());
  const named = instruction instanceof PropertyInstruction ? instruction.getProperties() : [];
  return {
    keyword: instruction.getKeyword(),
    text,
    words: instruction.getArguments().map((argument) => argument.getValue()),
    flags: Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? ''])),
    command: isCommand ? (JSON.parse(text.slice(text.indexOf('['))) as string[]) : [],
    properties: Object.fromEntries(named.map((each) => [each.getName(), each.getValue() ?? ''])),
  };
}

/** The files of the repository that the build gets, from the ignore file: everything is ignored but what `!` names. */
export function readContext(): string[] {
  const lines = readFileSync(`${DOCKERFILE}.dockerignore`, 'utf8').split('\n');
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = patterns;
  if (first !== '*' || !others.every((line) => line.startsWith('!')))
    throw new Error(
      `${DOCKERFILE}.dockerignore is to ignore everything, and then to name what is not ignored`,
    );
  return others.map((line) => line.slice(1));
}

import { readFileSync } from 'node:fs';
import path from 'node:path';

const file = path.resolve(import.meta.dirname, '../../../docs/operate.md');

/** A block of commands of docs/operate.md, word for word, and the heading that it stands under. */
export interface Block {
  heading: string;
  text: string;
}

/** The blocks of a chapter (`## ...`), in their order. */
export function readBlocks(chapter: string): Block[] {
  const [, text] = readFileSync(file, 'utf8').split(`\n## ${chapter}\n`);
  if (text === undefined) throw new Error(`docs/operate.md has no chapter ${chapter}`);
  const parts = text.split(/\n## /)[0]!.split(/\n### /);
  return parts.flatMap((part) => {
    const heading = part.split('\n')[0]!;
    return [...part.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => ({ heading, text: block }));
  });
}

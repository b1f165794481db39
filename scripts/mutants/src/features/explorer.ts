import type { Mutant } from '../../mutant.ts';

export const explorer: readonly Mutant[] = [
  {
    name: 'names that are markup',
    file: 'src/features/explorer/html.ts',
    find: "'<': '&lt;',",
    replace: "'<': '<',",
    suites: ['test/features/explorer.test.ts', 'test/features/explorer-address.test.ts'],
  },
  {
    name: 'quotes that end an attribute',
    file: 'src/features/explorer/html.ts',
    find: `'"': '&quot;',`,
    replace: `'"': '"',`,
    suites: ['test/features/explorer.test.ts', 'test/features/explorer-address.test.ts'],
  },
  {
    name: 'a page that may load anything',
    file: 'src/features/explorer/html.ts',
    find: `"default-src 'none'",`,
    replace: `"default-src *",`,
    suites: ['test/features/explorer.test.ts', 'test/features/explorer-browser.test.ts'],
  },
  {
    name: 'invisible characters shown as nothing',
    file: 'src/features/explorer/text.ts',
    find: 'joiner ?? nameOf(character)',
    replace: "joiner ?? ''",
    suites: ['test/features/explorer-text.test.ts'],
  },
  {
    name: 'pictures from anywhere',
    file: 'src/features/explorer/picture.ts',
    find: 'const PICTURE_URI = /^data:image',
    replace: 'const PICTURE_URI = /^https?:|^data:image',
    suites: ['test/features/explorer-address.test.ts'],
  },
  {
    name: 'tokens of the sandbox in the explorer',
    file: 'src/features/explorer/store.ts',
    find: "and environment = 'live' and deployed_at is not null",
    replace: 'and deployed_at is not null',
    suites: ['test/features/explorer-address.test.ts'],
  },
];

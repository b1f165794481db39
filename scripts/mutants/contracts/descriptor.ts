import type { Mutant } from '../mutant.ts';

const DESCRIPTOR = 'test/contracts/TokenDescriptor.t.sol';
const TEXT = 'test/contracts/DescriptorText.t.sol';

/** The JSON of layouts. */
export const descriptor: readonly Mutant[] = [
  {
    name: 'XML unescaped',
    file: 'contracts/TokenDescriptor.sol',
    find: 'return LibString.escapeHTML(Text.shorten(Text.toXmlText(text), characters));',
    replace: 'return Text.shorten(Text.toXmlText(text), characters);',
    suites: [DESCRIPTOR],
  },
  {
    name: 'marketplace fields as attributes',
    file: 'contracts/TokenDescriptor.sol',
    find: 'else if (_isField(key))',
    replace: 'else if (false)',
    suites: [DESCRIPTOR],
  },
  {
    name: 'collaborators as one text',
    file: 'contracts/TokenDescriptor.sol',
    find: 'key == COLLABORATORS ? Json.quoteList(entry.value) : Json.quote(entry.value, escapes);',
    replace: 'Json.quote(entry.value, escapes);',
    suites: [DESCRIPTOR],
  },
  {
    name: 'numbers that are none without quotes',
    file: 'contracts/TokenDescriptor.sol',
    find: 'if (entry.kind == NUMBER && Text.isJsonNumber(entry.value))',
    replace: 'if (entry.kind == NUMBER)',
    suites: [DESCRIPTOR],
  },
  {
    name: 'every attribute as the first one',
    file: 'contracts/TokenDescriptor.sol',
    find: 'hasAttributes = true;',
    replace: '',
    suites: [DESCRIPTOR],
  },
  {
    name: 'attributes without an end',
    file: 'contracts/TokenDescriptor.sol',
    find: 'hasAttributes ? "}]}" : "}"',
    replace: '"}"',
    suites: [DESCRIPTOR],
  },
  {
    name: 'the description among the other fields',
    file: 'contracts/TokenDescriptor.sol',
    find: 'if (key == DESCRIPTION) place = DESCRIPTION_FIELD;\n        else if',
    replace: 'if',
    suites: [TEXT],
  },
  {
    name: 'a drawing in the place of an image',
    file: 'contracts/TokenDescriptor.sol',
    find: 'if (bytes(json[PIECES * IMAGE_FIELD]).length == 0) {',
    replace: '{',
    suites: [DESCRIPTOR],
  },
  {
    name: 'no digits in a long number',
    file: 'contracts/libraries/Text.sol',
    find: 'return (word | (word + FROM_10)) & HIGH == 0;',
    replace: 'return word & HIGH == 0;',
    suites: [TEXT],
  },
  {
    name: 'bytes above ASCII in a long number',
    file: 'contracts/libraries/Text.sol',
    find: 'return (word | (word + FROM_10)) & HIGH == 0;',
    replace: 'return (word + FROM_10) & HIGH == 0;',
    suites: [TEXT],
  },
  {
    name: 'control characters in XML',
    file: 'contracts/libraries/Text.sol',
    find: 'if (length == 0 || _isForbiddenInXml(word, length)) {',
    replace: 'if (length == 0) {',
    suites: [DESCRIPTOR],
  },
  {
    name: 'U+FFFE in XML',
    file: 'contracts/libraries/Text.sol',
    find: '(word >> 232) | 1 == 0xefbfbf',
    replace: 'word >> 232 == 0xefbfbf',
    suites: [DESCRIPTOR],
  },
];

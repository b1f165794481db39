import type { AttributeKind } from '../../../parts/metadata/attribute-value.ts';

export const FIELDS = ['to', 'name', 'description', 'image'] as const;
export type Field = (typeof FIELDS)[number];

/**
 * A column: a field of the API, an attribute of a kind, how many NFTs a row asks for, or one without name and content.
 */
export type Column = { name: string } & (
  { field: Field } | { attribute: string; kind: AttributeKind } | { isAmount: true } | { isEmpty: true }
);

/** Something that is wrong with a column of the heading. */
export interface BadColumn {
  column: string;
  message: string;
}

export interface Heading {
  columns: Column[];
  bad: BadColumn[];
}

/**
 * How files for airdrops call the recipients, and how many each of them gets: without case and what stands between
 * words.
 */
const RECIPIENT = /^(to|wallet|recipient|receiver|holder|owner|account)?(address)?$/;
const AMOUNT = /^(amount|quantity|qty|balance)$/;

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/**
 * Reads the heading of a list.
 * @param hasContent whether any cell below a column has something in it
 */
export function readHeading(cells: readonly string[], hasContent: (column: number) => boolean): Heading {
  const names = cells.map((cell) => cell.trim());
  const to = findRecipients(names);
  if (typeof to !== 'number') return { columns: [], bad: [to] };
  const columns = names.map((name, at): Column => {
    if (at === to) return { name, field: 'to' };
    return name === '' && !hasContent(at) ? { name, isEmpty: true } : readColumn(name);
  });
  return { columns, bad: [...findNameless(columns), ...findTwins(columns), ...findUndescribed(columns)] };
}

/** @returns the place of the column with the recipients, or why there is none */
function findRecipients(names: readonly string[]): number | BadColumn {
  const own = names.findIndex((name) => name.toLowerCase() === 'to');
  if (own >= 0) return own;
  const like = names.flatMap((name, at) => (name !== '' && RECIPIENT.test(lettersOf(name)) ? [at] : []));
  if (like.length === 1) return like[0]!;
  const message =
    like.length === 0
      ? 'is missing: call the column with the recipients “to”'
      : `is missing, and ${like.map((at) => `“${names[at]}”`).join(' and ')} may each be it: call one of them “to”`;
  return { column: 'to', message };
}

function readColumn(name: string): Column {
  const field = FIELDS.find((each) => each === name.toLowerCase());
  if (field) return { name, field };
  if (AMOUNT.test(lettersOf(name))) return { name, isAmount: true };
  const [, attribute, kind] = /^(.+):(text|number|boolean)$/.exec(name) ?? [];
  return { name, attribute: attribute ?? name, kind: (kind ?? 'text') as AttributeKind };
}

const findNameless = (columns: readonly Column[]): BadColumn[] =>
  columns.flatMap((column, at) =>
    column.name === '' && 'attribute' in column
      ? [{ column: `column ${at + 1}`, message: 'has no name, and cells below it have something in them' }]
      : [],
  );

function findTwins(columns: readonly Column[]): BadColumn[] {
  const keyOf = (column: Column): string => {
    if ('field' in column) return column.field;
    return 'attribute' in column ? column.attribute : '';
  };
  const keys = columns.map(keyOf);
  return columns.flatMap(({ name }, at) =>
    keys[at] === '' || keys.indexOf(keys[at]!) === at ? [] : [{ column: name, message: 'is there twice' }],
  );
}

/** Said once, and not of each row: an NFT with attributes has a name. */
function findUndescribed(columns: readonly Column[]): BadColumn[] {
  if (columns.some((column) => 'field' in column && column.field === 'name')) return [];
  const others = columns.filter(
    (column) => 'attribute' in column || ('field' in column && column.field !== 'to'),
  );
  return others
    .filter(({ name }) => name !== '')
    .map(({ name }) => ({
      column: name,
      message:
        'would be written to the chain, and an NFT with metadata needs a column “name”: add it, or take this one out',
    }));
}

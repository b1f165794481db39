import Papa from 'papaparse';
import type { components } from '../../../../../../generated/api.ts';
import { NOT_OF_KIND, readAttribute } from '../../../parts/metadata/attribute-value.ts';
import { checkMetadata } from '../../../parts/metadata/metadata-rules.ts';
import type { AttributeValue, Metadata } from '../../../parts/metadata/metadata-rules.ts';
import { checkAddress, toChecksum } from './check-address.ts';
import { FIELDS, readHeading } from './list-heading.ts';
import type { Column, Field } from './list-heading.ts';

export type Item = components['schemas']['MintNftRequest'];

/** Something that is wrong with a list, so that nothing of it is sent. */
export interface BadCell {
  /** As a spreadsheet counts: the heading is row 1. */
  row: number;
  /** Empty for the row as a whole. */
  column: string;
  value: string;
  message: string;
}

export interface ReadList {
  /** One for each row that mints, in their order; those with something wrong are left out. */
  items: Item[];
  /** The rows of the items, as a spreadsheet counts. */
  rows: number[];
  bad: BadCell[];
}

export const MAX_ROWS = 10_000;
const DELIMITERS = [',', ';', '\t'];
/** Of Excel: the first line may name the delimiter. */
const SEPARATOR = /^\uFEFF?"?sep=(.)"?\n/i;
/** What stands where a reader before this one could not read a letter. */
const LOST = '\uFFFD';

/**
 * Reads a list of NFTs to mint: CSV whose heading has `to`, and may have `name`, `description`, `image` and any
 * attribute, as `mood`, `edition:number` or `framed:boolean`. A list of addresses alone needs no heading.
 */
export function readList(given: string): ReadList {
  const text = given.replaceAll(/\r\n?/g, '\n');
  const separator = SEPARATOR.exec(text);
  const listed = separator ? text.slice(separator[0].length) : text;
  const { data, errors: broken } = Papa.parse<string[]>(listed, {
    delimiter: separator?.[1] ?? delimiterOf(text),
    newline: '\n',
  });
  if (broken.length > 0)
    return refuse(broken.map(({ row = 0, message }) => ({ row: row + 1, column: '', value: '', message })));
  const rows = data.map((cells, index) => ({ row: index + 1, cells })).filter(({ cells }) => !isBlank(cells));
  const [first] = rows;
  if (!first) return refuse([]);
  const hasHeading = !/^0x/i.test(first.cells[0]!.trim());
  const body = hasHeading ? rows.slice(1) : rows;
  const hasContent = (column: number): boolean =>
    body.some(({ cells }) => (cells[column] ?? '').trim() !== '');
  const { columns, bad } = hasHeading ? readHeading(first.cells, hasContent) : readPlain(body);
  if (bad.length > 0) return refuse(bad.map((each) => ({ row: first.row, value: '', ...each })));
  if (body.length > MAX_ROWS) {
    const message = `has ${body.length} rows; at most ${MAX_ROWS} are minted from one list`;
    return refuse([{ row: body[MAX_ROWS]!.row, column: '', value: '', message }]);
  }
  const read = body.map(({ row, cells }) => ({ row, ...readRow(row, cells, columns) }));
  const good = read.flatMap(({ row, item }) => (item ? [{ row, item }] : []));
  return {
    items: good.map(({ item }) => item),
    rows: good.map(({ row }) => row),
    bad: read.flatMap((each) => each.bad),
  };
}

const refuse = (bad: BadCell[]): ReadList => ({ items: [], rows: [], bad });

/** The one that the heading has most of: further down there may be commas in the texts. */
function delimiterOf(text: string): string {
  const [heading = ''] = text.trimStart().split('\n', 1);
  const count = (delimiter: string): number => heading.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** A list without a heading: recipients, and for each of them at most how many it gets. */
function readPlain(body: readonly { cells: readonly string[] }[]): ReturnType<typeof readHeading> {
  const widest = Math.max(...body.map(({ cells }) => cells.findLastIndex((cell) => cell.trim() !== '') + 1));
  const isCounted = body.every(({ cells }) => /^[\d.,\s]*$/.test(cells[1] ?? ''));
  const empty = Array.from({ length: Math.max(...body.map(({ cells }) => cells.length)) }, (): Column => ({
    name: '',
    isEmpty: true,
  }));
  const to: Column = { name: 'to', field: 'to' };
  if (widest === 1) return { columns: [to, ...empty.slice(1)], bad: [] };
  if (widest === 2 && isCounted)
    return { columns: [to, { name: 'column 2', isAmount: true }, ...empty.slice(2)], bad: [] };
  const message = 'has no name: put a heading above the list that names its columns, like “to,name”';
  return { columns: [], bad: [{ column: 'column 2', message }] };
}

function readRow(
  row: number,
  cells: readonly string[],
  columns: readonly Column[],
): { item: Item | null; bad: BadCell[] } {
  const bad: BadCell[] = [];
  const say = (column: string, value: string, message: string): void => {
    bad.push({ row, column, value, message });
  };
  if (cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    say('', cells.slice(columns.length).join(), 'has more cells than the heading');
  const texts: Record<Field, string> = { to: '', name: '', description: '', image: '' };
  const attributes = new Map<string, AttributeValue>();
  columns.forEach((column, index) => {
    const cell = cells[index] ?? '';
    if (cell.includes(LOST))
      say(
        column.name,
        cell,
        'has lost a letter: it was read in a wrong encoding before. Save it as UTF-8 again',
      );
    if ('field' in column) texts[column.field] = column.field === 'description' ? cell : cell.trim();
    else if ('isAmount' in column) {
      if (!/^1?$/.test(cell.trim()))
        say(column.name, cell, 'has to be 1: one row is one NFT. Repeat the row, or take the column out');
    } else if ('attribute' in column && cell.trim() !== '') {
      const value = readAttribute(column.kind, cell.trim());
      if (value === null) say(column.name, cell, NOT_OF_KIND[column.kind]);
      attributes.set(column.attribute, value ?? cell);
    }
  });
  const wrong = checkAddress(texts.to);
  if (wrong !== null) say('to', texts.to, wrong);
  const metadata = toMetadata(texts, attributes);
  for (const { field, message } of metadata ? checkMetadata(metadata) : [])
    say(field.replace(/^attributes\./, ''), valueOf(field, texts, attributes), message);
  if (bad.length > 0) return { item: null, bad };
  return { item: { to: toChecksum(texts.to), ...(metadata ? { metadata } : {}) }, bad };
}

/** A row without any of its cells is minted without metadata. */
function toMetadata(
  { name, description, image }: Record<Field, string>,
  attributes: ReadonlyMap<string, AttributeValue>,
): Metadata | null {
  if (name === '' && description === '' && image === '' && attributes.size === 0) return null;
  return {
    name,
    description,
    ...(image === '' ? {} : { image }),
    ...(attributes.size === 0
      ? {}
      : { attributes: Object.fromEntries([...attributes].sort(([one], [other]) => (one < other ? -1 : 1))) }),
  };
}

function valueOf(
  field: string,
  texts: Record<Field, string>,
  attributes: ReadonlyMap<string, AttributeValue>,
): string {
  const own = FIELDS.find((each) => each === field);
  return own ? texts[own] : String(attributes.get(field.replace(/^attributes\./, '')) ?? '');
}

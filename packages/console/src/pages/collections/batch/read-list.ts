import Papa from 'papaparse';
import type { components } from '../../../../../../generated/api.ts';
import { NOT_OF_KIND, readAttribute } from '../../../parts/metadata/attribute-value.ts';
import type { AttributeKind } from '../../../parts/metadata/attribute-value.ts';
import { checkMetadata } from '../../../parts/metadata/metadata-rules.ts';
import type { AttributeValue, Metadata } from '../../../parts/metadata/metadata-rules.ts';
import { checkAddress } from './check-address.ts';

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
  bad: BadCell[];
}

export const MAX_ROWS = 10_000;
const DELIMITERS = [',', ';', '\t'];
const FIELDS = ['to', 'name', 'description', 'image'] as const;
type Field = (typeof FIELDS)[number];

/** A column: a field of the API, or an attribute of a kind. */
type Column = { name: string } & ({ field: Field } | { attribute: string; kind: AttributeKind });

/**
 * Reads a list of NFTs to mint: CSV whose heading has `to`, and may have `name`, `description`, `image` and any attribute,
 * as `mood`, `edition:number` or `framed:boolean`. A list of addresses alone needs no heading.
 */
export function readList(text: string): ReadList {
  const { data, errors: broken } = Papa.parse<string[]>(text, { delimiter: delimiterOf(text) });
  if (broken.length > 0) {
    return {
      items: [],
      bad: broken.map(({ row = 0, message }) => ({ row: row + 1, column: '', value: '', message })),
    };
  }
  const rows = data.map((cells, index) => ({ row: index + 1, cells })).filter(({ cells }) => !isBlank(cells));
  const [first] = rows;
  if (!first) return { items: [], bad: [] };
  const hasHeading = !/^0x/i.test(first.cells[0]!.trim());
  const { columns, bad } = hasHeading ? readHeading(first.cells, first.row) : PLAIN;
  const body = hasHeading ? rows.slice(1) : rows;
  if (bad.length > 0) return { items: [], bad };
  if (body.length > MAX_ROWS) {
    const message = `has ${body.length} rows; at most ${MAX_ROWS} are minted from one list`;
    return { items: [], bad: [{ row: body[MAX_ROWS]!.row, column: '', value: '', message }] };
  }
  const read = body.map(({ row, cells }) => readRow(row, cells, columns));
  return { items: read.flatMap(({ item }) => item ?? []), bad: read.flatMap((each) => each.bad) };
}

/** The one that the heading has most of: further down there may be commas in the texts. */
function delimiterOf(text: string): string {
  const [heading = ''] = text.trimStart().split(/[\r\n]/, 1);
  const count = (delimiter: string): number => heading.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
}

const PLAIN = { columns: [{ name: 'to', field: 'to' }] satisfies Column[], bad: [] as BadCell[] };

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

function readHeading(cells: readonly string[], row: number): { columns: Column[]; bad: BadCell[] } {
  const columns = cells.map((cell) => readColumn(cell.trim()));
  const keys = columns.map((column) => ('field' in column ? column.field : column.attribute));
  const bad = columns.flatMap(({ name }, index): BadCell[] => {
    if (name === '') return [{ row, column: `column ${index + 1}`, value: '', message: 'has no name' }];
    return keys.indexOf(keys[index]!) === index
      ? []
      : [{ row, column: name, value: '', message: 'is there twice' }];
  });
  if (!keys.includes('to'))
    bad.push({ row, column: 'to', value: '', message: 'is missing: the column with the recipients' });
  return { columns, bad };
}

function readColumn(name: string): Column {
  const field = FIELDS.find((each) => each === name.toLowerCase());
  if (field) return { name, field };
  const [, attribute, kind] = /^(.+):(text|number|boolean)$/.exec(name) ?? [];
  return { name, attribute: attribute ?? name, kind: (kind ?? 'text') as AttributeKind };
}

function readRow(
  row: number,
  cells: readonly string[],
  columns: readonly Column[],
): { item: Item | null; bad: BadCell[] } {
  const bad: BadCell[] = [];
  const refuse = (column: string, value: string, message: string): void => {
    bad.push({ row, column, value, message });
  };
  if (cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    refuse('', cells.slice(columns.length).join(), 'has more cells than the heading');
  const texts: Record<Field, string> = { to: '', name: '', description: '', image: '' };
  const attributes = new Map<string, AttributeValue>();
  columns.forEach((column, index) => {
    const cell = cells[index] ?? '';
    if ('field' in column) texts[column.field] = column.field === 'description' ? cell : cell.trim();
    else if (cell.trim() !== '') {
      const value = readAttribute(column.kind, cell.trim());
      if (value === null) refuse(column.name, cell, NOT_OF_KIND[column.kind]);
      attributes.set(column.attribute, value ?? cell);
    }
  });
  const wrong = checkAddress(texts.to);
  if (wrong !== null) refuse('to', texts.to, wrong);
  const metadata = toMetadata(texts, attributes);
  for (const { field, message } of metadata ? checkMetadata(metadata) : [])
    refuse(field.replace(/^attributes\./, ''), valueOf(field, texts, attributes), message);
  if (bad.length > 0) return { item: null, bad };
  return { item: { to: texts.to, ...(metadata ? { metadata } : {}) }, bad };
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
    ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
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

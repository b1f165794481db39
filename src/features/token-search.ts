/** Stands between name and symbol; no search has it. */
const BETWEEN = `E'\\x01'`;

/**
 * SQL that is true for those `tokens t` that a search means: name or symbol contains it, in any case of its letters, or
 * the address begins with it. Nothing in it is a pattern. It is asked of all tokens of an account at the most, in the
 * order of their index. What is sought is put into lower case once, in a subquery.
 */
export function isSought(search: string): string {
  const named = `strpos(lower(t.name || ${BETWEEN} || t.symbol), (select lower(:search::text))) > 0`;
  return isAddressStart(search)
    ? `(${named} or starts_with('0x' || encode(t.address, 'hex'), (select lower(:search::text))))`
    : named;
}

const isAddressStart = (search: string): boolean => /^0x/i.test(search);

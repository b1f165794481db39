import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(1);

test('bytes are read as hex, alone and in a list, and bound as Buffers', async () => {
  const rows = await query(
    db,
    `select :bytes::bytea as one, ''::bytea as empty, null::bytea as missing,
            array[:bytes::bytea, '', :bytes::bytea] as list, '{}'::bytea[] as "emptyList"`,
    { bytes: Buffer.from([0x00, 0x5c, 0x22, 0xff]) },
  );
  expect(rows).toEqual([
    {
      one: '0x005c22ff',
      empty: '0x',
      missing: null,
      list: ['0x005c22ff', '0x', '0x005c22ff'],
      emptyList: [],
    },
  ]);
});

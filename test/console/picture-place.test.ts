import { expect, test } from '@jest/globals';
import { locatePicture } from '../../packages/console/src/parts/metadata/locate-picture.ts';

const GATEWAY = 'https://ipfs.example';

test.each([
  ['data:image/svg+xml;base64,AA==', 'chain', 'data:image/svg+xml;base64,AA=='],
  ['ipfs://bafybeialice/1.png', 'ipfs', 'https://ipfs.example/ipfs/bafybeialice/1.png'],
  ['ipfs://ipfs/bafybeialice', 'ipfs', 'https://ipfs.example/ipfs/bafybeialice'],
  ['https://shop.example/1.png', 'elsewhere', null],
  ['https://ipfs.example/1.png', 'elsewhere', null],
  ['data:text/html,x', 'elsewhere', null],
  ['javascript:alert(1)', 'elsewhere', null],
])('the picture %s is on the %s', (image, where, src) => {
  expect(locatePicture(image, GATEWAY)).toEqual({ where, src });
});

test('a picture on IPFS is not loaded where no gateway is named', () => {
  expect(locatePicture('ipfs://bafybeialice/1.png', '')).toEqual({ where: 'ipfs', src: null });
});

// Written by `npm run generate`. Do not edit.

/**
 * The system by chain id: that of the chain which `npm start` brings along. Elsewhere it depends on the service's admin, see
 * `systemAddresses`.
 */
export const addresses = {
  31337: {
    operator: '0xd17033b415c950ada3c76b11128dd5c6106daa08',
    tokenFactory: '0x81008a48b8de062542b3266249a518d5c03e8dac',
    collectionFactory: '0x4566fd4230d78c3134b302c7225ff0cc34961bb6',
    managedErc20: '0xb037303843d55a2f71c87a964df81c51fd0db404',
    managedErc721: '0xcc4a589e8aeb17b0afe07018edca8b8f9a15c47c',
    descriptor: '0xff87cce8ba4cb5ae2def74cd0e88a4de7dbe4772',
  },
} as const;

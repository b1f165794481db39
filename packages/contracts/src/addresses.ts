// Written by `npm run generate`. Do not edit.

/**
 * The system by chain id: that of the chain which `npm start` brings along. Elsewhere it depends on the service's admin, see
 * `systemAddresses`.
 */
export const addresses = {
  31337: {
    operator: '0xe27feb14ae5c75ddadcc4705c9bc87f019720669',
    tokenFactory: '0x0aca5c0ecda8b00b89532d1ab0d143a235b378fd',
    collectionFactory: '0xdec4877b90504ce8a7302967dc5b00758f07e6e1',
    managedErc20: '0x59002693f3cb8c2c1c626c352c1ab2f6f4e1dcfd',
    managedErc721: '0x22065006c21a69da4696b05293e0f046982b043a',
    descriptor: '0xff87cce8ba4cb5ae2def74cd0e88a4de7dbe4772',
  },
} as const;

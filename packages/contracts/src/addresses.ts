// Written by `npm run generate`. Do not edit.

/**
 * The system by chain id: that of the chain which `npm start` brings along. Elsewhere it depends on the service's
 * admin, see `systemAddresses`.
 */
export const addresses = {
  31337: {
    operator: '0xdc819ce0bb1a12b83116b462a2ac308500ff1129',
    tokenFactory: '0xac9f7d0544a8f3f358e29675674314b71a3b2434',
    collectionFactory: '0x2b94e0147e71ae4d0a1d8ab08d1dfef8305b48ba',
    managedErc20: '0x10df2a974d27afc42a85ac1cd01b4e287a1bb3f0',
    managedErc721: '0x6a739a3d1473317f2f5523d4823ea2852da753f3',
    descriptor: '0xff87cce8ba4cb5ae2def74cd0e88a4de7dbe4772',
  },
} as const;

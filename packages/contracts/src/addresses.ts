// Written by `npm run generate`. Do not edit.

/**
 * The system by chain id: that of the chain which `npm start` brings along. Elsewhere it depends on the service's admin, see
 * `systemAddresses`.
 */
export const addresses = {
  31337: {
    operator: '0xe27feb14ae5c75ddadcc4705c9bc87f019720669',
    tokenFactory: '0x608675c6a34a6f1a866f391a126fe39e2d858ae0',
    collectionFactory: '0xb4593eab405bc8b0725d60073e9e953347e2afe3',
    managedErc20: '0x58c4a904517170169208659f208f46781e6f7cd4',
    managedErc721: '0x9fb464ce4514ac7c7b02cb7255b2d707aff10e57',
    descriptor: '0x80ded45e8bcf661e30e70badcb9a68b272bbfd7d',
  },
} as const;

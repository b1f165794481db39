// Written by `npm run generate`. Do not edit.

/**
 * The system by chain id: that of the chain which `npm start` brings along. Elsewhere it depends on the service's admin, see
 * `systemAddresses`.
 */
export const addresses = {
  31337: {
    operator: '0xd3a5d4c55494809d6f5320774a2a188a1baff785',
    tokenFactory: '0x08a131de2d79b2f20cdd8080e47832349f1e0e68',
    collectionFactory: '0x75b7f7be10ea112f0f32c250c4bfc1b3750b20a6',
    managedErc20: '0x58c4a904517170169208659f208f46781e6f7cd4',
    managedErc721: '0x9fb464ce4514ac7c7b02cb7255b2d707aff10e57',
    descriptor: '0x80ded45e8bcf661e30e70badcb9a68b272bbfd7d',
  },
} as const;

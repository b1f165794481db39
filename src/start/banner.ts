import type { Config } from '../config.ts';
import type { Service } from './service.ts';

/** What the terminal shows once the service answers. With the embedded chain: all that a first mint needs. */
export function welcome(config: Config, { url, context }: Service, milliseconds: number): string {
  const seconds = (milliseconds / 1_000).toFixed(1);
  if (url === null) return `Mintmark's engine runs after ${seconds} s on chain ${context.chainId}.`;
  const addresses = [
    `Mintmark is ready after ${seconds} s.`,
    '',
    `  API       ${config.publicUrl}`,
    `  Docs      ${config.publicUrl}/docs`,
    `  Explorer  ${config.explorerUrl}`,
    ...(config.rpcUrls
      ? []
      : [`  Chain     ${context.chainUrl}, chain id ${context.chainId}, all of it gone when you stop`]),
  ];
  const [invite] = config.bootstrapInvites;
  if (config.rpcUrls || !invite) return addresses.join('\n');
  return [
    ...addresses,
    '',
    `  Invite    ${invite}`,
    '',
    'A first mint, to paste into another terminal:',
    '',
    firstMint(config.publicUrl, invite),
  ].join('\n');
}

function firstMint(url: string, invite: string): string {
  return `API=${url}
curl -s $API/v1/auth/register -H 'Content-Type: application/json' \\
  -d '{"email":"alice@example.com","password":"correct horse battery","inviteCode":"${invite}"}'; echo
TOKEN=$(curl -s $API/auth/signin -H 'Content-Type: application/json' \\
  -d '{"email":"alice@example.com","password":"correct horse battery"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
ADDRESS=$(curl -s $API/tokens -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"type":"ERC20","name":"Alice Coin","symbol":"ALC"}' | sed 's/.*"address":"\\([^"]*\\)".*/\\1/')
curl -s $API/tokens/$ADDRESS/mint -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"owner":"0x3440326f551B8A7ee198cEE35cb5D517f2d296a2","amount":"1000000000000000000"}'; echo`;
}

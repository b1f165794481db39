import type { Config } from '../config.ts';
import { firstMint } from '../features/first-mint.ts';
import type { Service } from './service.ts';

/** What the terminal shows once the service answers. When developing: all that a first mint needs. */
export function welcome(config: Config, { url, context }: Service, milliseconds: number): string {
  const seconds = (milliseconds / 1_000).toFixed(1);
  if (url === null) return `Mintmark's engine runs after ${seconds} s on chain ${context.chainId}.`;
  const addresses = [
    `Mintmark is ready after ${seconds} s.`,
    '',
    `  API       ${config.publicUrl}`,
    `  Console   ${config.publicUrl}/console`,
    `  Docs      ${config.publicUrl}/docs`,
    `  Explorer  ${config.explorerUrl}`,
    ...(config.developing
      ? [`  Chain     ${context.chainUrl}, chain id ${context.chainId}${whatEnds(config)}`]
      : []),
  ];
  const [invite] = config.bootstrapInvites;
  if (!config.developing || !invite) return addresses.join('\n');
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

const whatEnds = ({ rpcUrls }: Config): string => (rpcUrls ? '' : ', all of it gone when you stop');

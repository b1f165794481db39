import type { Config } from '../config.ts';
import { release } from '../db/release.ts';
import { readRevision } from '../lib/revision.ts';
import { firstMint } from '../features/first-mint.ts';
import type { Service } from './service.ts';

/** What the terminal shows once the service answers. When developing: all that a first mint needs. */
export function welcome(config: Config, { url, context }: Service, milliseconds: number): string {
  const seconds = (milliseconds / 1_000).toFixed(1);
  if (url === null)
    return `Mintmark's engine runs after ${seconds} s on chain ${context.chainId}, ${describeBuild()}.`;
  const addresses = [
    // Who tries it has one clone.
    `Mintmark is ready after ${seconds} s${config.developing ? '' : `, ${describeBuild()}`}.`,
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

/** Which release this is: two between which an upgrade is made may have the same number. */
const describeBuild = (): string =>
  ['release', release.version, readRevision()].filter((part) => part !== null).join(' ');

const whatEnds = ({ rpcUrls }: Config): string => (rpcUrls ? '' : ', all of it gone when you stop');

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import solc from 'solc';

interface Submission {
  stdJsonInput: { settings: { outputSelection: unknown } };
  /** `contracts/Operator.sol:Operator`. */
  contractIdentifier: string;
  compilerVersion: string;
}

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<
    string,
    Record<
      string,
      {
        evm: {
          deployedBytecode: {
            object: string;
            immutableReferences: Record<string, { start: number; length: number }[]>;
          };
        };
      }
    >
  >;
}

/** A stand-in for Sourcify: version 2 of its API, which compiles the sources and compares the bytes. */
export async function startSourcify(codeAt: (address: string) => Promise<string>) {
  const verdicts = new Map<string, { match: string | null; reason?: string }>();
  const submissions: Submission[] = [];

  const verify = async (address: string, { stdJsonInput, contractIdentifier }: Submission) => {
    const colon = contractIdentifier.lastIndexOf(':');
    const [file, name] = [contractIdentifier.slice(0, colon), contractIdentifier.slice(colon + 1)];
    // Of this contract only: the compiler would make the code of all that it imports as well.
    const outputSelection = { [file]: { [name]: ['evm.deployedBytecode'] } };
    const input = { ...stdJsonInput, settings: { ...stdJsonInput.settings, outputSelection } };
    const output = JSON.parse(
      (solc as { compile(input: string): string }).compile(JSON.stringify(input)),
    ) as Output;
    const failed = output.errors?.find(({ severity }) => severity === 'error');
    if (failed) return { match: null, reason: failed.formattedMessage };
    const contract = output.contracts[file]?.[name];
    if (!contract) return { match: null, reason: `no ${contractIdentifier}` };
    const { object, immutableReferences } = contract.evm.deployedBytecode;
    const immutables = Object.values(immutableReferences ?? {}).flat();
    const without = (code: string): string =>
      immutables.reduce(
        (rest, { start, length }) =>
          rest.slice(0, start * 2) + '00'.repeat(length) + rest.slice((start + length) * 2),
        code,
      );
    const same = without((await codeAt(address)).slice(2)) === without(object);
    return same ? { match: 'match' } : { match: null, reason: 'the bytes differ' };
  };

  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    const [, , kind, first = '', address = ''] = (request.url ?? '').split('/');
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      void (async () => {
        const contract = { chainId: first, address, match: null, creationMatch: null, runtimeMatch: null };
        if (kind === 'contract') return answer(404, contract);
        if (request.method === 'POST') {
          const submission = JSON.parse(text) as Submission;
          submissions.push(submission);
          verdicts.set(address, await verify(address, submission));
          return answer(202, { verificationId: address });
        }
        const { match, reason } = verdicts.get(first)!;
        answer(200, {
          isJobCompleted: true,
          verificationId: first,
          jobStartTime: '2026-01-01T00:00:00Z',
          contract: { ...contract, match },
          ...(match ? {} : { error: { customCode: 'no_match', message: reason, errorId: 'x' } }),
        });
      })();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verdicts,
    submissions,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
